#include "rates.h"

namespace atmost::rule {
namespace {

// The first of the last `count` admissions; a newer one if that one cannot be read.
Stamp first_of_last(Facts& facts, std::uint32_t count) {
  const State& state = facts.state();
  if (count <= 1) return state.last.start;
  if (state.recorded < count) return state.unknown_before;
  for (std::uint32_t back = count; back > 0; --back) {
    if (const Stamp at = facts.admission(back); at.known) return at;
  }
  return state.last.start;
}

void see_limit_rates(Facts& facts, const RecordedLimit& limit, const Instant& now, View& view) {
  std::int64_t longest = 0;
  for (const Rate& rate : std::span(limit.rates, limit.rate_count)) {
    const Stamp first = first_of_last(facts, rate.count);
    const std::int64_t age = first.known ? age_ns(first, now) : 0;
    const std::int64_t rest = age < 0 ? rate.window.ns : rate.window.ns - age;
    if (!first.known || rest <= longest) continue;
    longest = rest;
    view.limit_rate = rate;
    view.first_in_limit_rate = first;
  }
}

}  // namespace

void see_rates(Facts& facts, const Rate& own, const Instant& now, View& view) {
  if (own.count > 0) view.first_in_rate = first_of_last(facts, own.count);
  if (facts.limit != nullptr) see_limit_rates(facts, *facts.limit, now, view);
}

}  // namespace atmost::rule
