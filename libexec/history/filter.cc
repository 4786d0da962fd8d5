#include "filter.h"

#include <utility>

namespace atmost::history {
namespace {

template <class E>
constexpr unsigned bit(E value) {
  return 1u << static_cast<unsigned>(value);
}

}  // namespace

HowItEnded outcome_of(const Record& record) {
  switch (record.kind) {
    case Event::Kind::denied:
      return record.text("why") == "too_soon" ? HowItEnded::too_soon : HowItEnded::busy;
    case Event::Kind::lost:
      return HowItEnded::lost;
    case Event::Kind::ended:
      break;
    default:
      return HowItEnded::none;
  }
  if (record.text("stopped") == "max_runtime" || record.text("stopped") == "idle")
    return HowItEnded::timed_out;
  if (record.text("stopped") == "lost" || record.text("stopped") == "taken_over")
    return HowItEnded::lost;
  if (record.text("stopped") == "killed") return HowItEnded::killed;
  if (!record.text("signal").empty()) return HowItEnded::killed;
  return record.number("exit") == 0 && !record.flag("too_fast") ? HowItEnded::success
                                                                : HowItEnded::failure;
}

Filter::Filter(const Options& options, std::vector<WantedLock> locks)
    : since_(options.selection.since_ns),
      until_(options.selection.until_ns),
      locks_(std::move(locks)) {
  for (Event::Kind kind : options.kinds) kinds_ |= bit(kind);
  for (HowItEnded outcome : options.outcomes) outcomes_ |= bit(outcome);
}

bool Filter::wants(const Record& record) const {
  if (record.ns("at") < since_ || record.ns("at") >= until_) return false;
  if (kinds_ != 0 && (kinds_ & bit(record.kind)) == 0) return false;
  if (outcomes_ != 0 && (outcomes_ & bit(outcome_of(record))) == 0) return false;
  return is_wanted(locks_, record);
}

}  // namespace atmost::history
