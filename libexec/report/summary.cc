#include "summary.h"

#include <algorithm>
#include <utility>

#include "quantile.h"

namespace atmost::report {
namespace {

constexpr std::int64_t kWorthTelling =
    1'000'000;  // 1 ms: a shorter wait is the cost of the lock itself
// 100 ms: how long shorter runs take depends on the machine's other work.
constexpr std::int64_t kTrendFrom = 100'000'000;
constexpr double kSecond = 1e9;

void count_runs(Summary& to) {
  std::vector<std::int64_t> in_order, starts;
  in_order.reserve(to.story->runs.size());
  for (const Run& run : to.story->runs) {
    ++to.runs;
    ++to.fates[static_cast<std::size_t>(run.status)];
    if (run.too_fast) ++to.too_fast;
    if (run.was_replaced()) ++to.replaced;
    to.last_start_ns = std::max(to.last_start_ns, run.start_ns);
    if (run.status == RunStatus::success)
      to.last_success_ns = std::max(to.last_success_ns, run.end_ns());
    if (!run.finished()) continue;
    in_order.push_back(run.ran_ns);
    starts.push_back(run.start_ns);
    to.total_s += static_cast<double>(run.ran_ns) / kSecond;
  }
  to.level = last_level_change(in_order);
  if (to.level.found) to.level.since_ns = starts[to.level.at];
  const Trend trend = trend_of(in_order);
  std::sort(in_order.begin(), in_order.end());
  to.p50_ns = quantile(in_order, 0.5);
  to.p90_ns = quantile(in_order, 0.9);
  to.p99_ns = quantile(in_order, 0.99);
  to.max_ns = quantile(in_order, 1);
  if (to.p50_ns >= kTrendFrom) to.trend = trend;
  to.times = std::move(in_order);
}

void count_marks(Summary& to) {
  for (const Mark& mark : to.story->marks) {
    if (mark.kind == Mark::Kind::takeover) ++to.takeovers;
    if (mark.kind == Mark::Kind::too_soon) ++to.too_soon;
    if (mark.kind != Mark::Kind::busy) continue;
    ++to.busy;
    ++to.busy_why[mark.why];
  }
}

void count_waits(Summary& to) {
  std::vector<std::int64_t> waits;
  for (const Run& run : to.story->runs) {
    if (run.waited_ns >= kWorthTelling) waits.push_back(run.waited_ns);
  }
  for (const Mark& mark : to.story->marks) {
    if (mark.waited_ns >= kWorthTelling) waits.push_back(mark.waited_ns);
  }
  std::sort(waits.begin(), waits.end());
  to.waits = waits.size();
  // 50 years each at most: far beyond any real run, and yet a sum of some could exceed 64 bits.
  for (std::int64_t wait : waits) to.waited_ns += std::min(wait, INT64_MAX - to.waited_ns);
  to.waited_p99_ns = quantile(waits, 0.99);
  to.waited_max_ns = quantile(waits, 1);
}

// The time during which at least one slot was held, and the number of slots held.
void measure_holding(Summary& to, std::int64_t log_end_ns) {
  std::vector<std::pair<std::int64_t, std::int64_t>>
      steps;  // the moment, and the change of the number of slots
  steps.reserve(2 * to.story->runs.size());
  for (const Run& run : to.story->runs) {
    steps.emplace_back(run.start_ns, run.take);
    steps.emplace_back(std::min(run.end_ns(), log_end_ns), -std::int64_t{run.take});
  }
  std::sort(steps.begin(), steps.end());  // at the same moment ends come first
  std::int64_t held = 0;
  double busy_s = 0;
  double slots_s = 0;
  std::int64_t since = 0;
  for (const auto& [at, change] : steps) {
    const double span_s = static_cast<double>(at - since) / kSecond;
    if (held > 0) {
      busy_s += span_s;
      slots_s += span_s * static_cast<double>(held);
    }
    since = at;
    held += change;
    to.slots_most =
        std::max(to.slots_most, static_cast<std::uint64_t>(std::max<std::int64_t>(held, 0)));
  }
  to.window_s = static_cast<double>(log_end_ns - to.story->first_ns) / kSecond;
  if (to.window_s <= 0) return;
  to.held_share = std::min(1.0, busy_s / to.window_s);
  to.slots_mean = slots_s / to.window_s;
}

}  // namespace

Summary summarise(const LockStory& story, std::int64_t log_end_ns) {
  Summary to;
  to.story = &story;
  to.spam = story.spam;
  count_runs(to);
  count_marks(to);
  count_waits(to);
  measure_holding(to, log_end_ns);
  return to;
}

std::vector<Summary> summarise(const RunLedger& ledger) {
  std::vector<Summary> all;
  all.reserve(ledger.locks().size());
  for (const LockStory& story : ledger.locks()) all.push_back(summarise(story, ledger.last_ns()));
  std::sort(all.begin(), all.end(), [](const Summary& one, const Summary& other) {
    if (one.trouble() != other.trouble()) return one.trouble() > other.trouble();
    if (one.runs != other.runs) return one.runs > other.runs;
    return one.story->path < other.story->path;
  });
  return all;
}

}  // namespace atmost::report
