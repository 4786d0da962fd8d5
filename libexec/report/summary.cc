#include "summary.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "json/json.h"
#include "present.h"
#include "statistics.h"
#include "stats_table.h"

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
    if (mark.kind == Mark::Kind::takeover && !mark.by_kill) ++to.takeovers;
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

namespace {

constexpr std::size_t kBars = 24;

std::string busy_why(const Summary& of) {
  json::Object to;
  for (std::size_t i = 0; i < of.busy_why.size(); ++i) {
    if (of.busy_why[i] > 0) to.number(i == 0 ? "other" : kWhyNames[i], of.busy_why[i]);
  }
  return to.str();
}

std::string histogram(const Summary& of) {
  std::string to = "[";
  for (const Bar& bar : round_bars(of.times, kBars)) {
    to.append(to.size() > 1 ? ",[" : "[")
        .append(json::seconds(bar.from_ns))
        .append(",")
        .append(json::seconds(bar.to_ns));
    to.append(",").append(std::to_string(bar.count)).append("]");
  }
  return to.append("]");
}

void add_run_times(const Summary& of, json::Object& to) {
  if (of.times.empty()) return;
  to.time("run_p50_s", of.p50_ns).time("run_p90_s", of.p90_ns).time("run_p99_s", of.p99_ns);
  to.time("run_max_s", of.max_ns);
  to.real("run_mean_s", of.total_s / static_cast<double>(of.times.size()))
      .real("run_total_s", of.total_s);
  to.raw("run_histogram", histogram(of));
}

}  // namespace

std::string summary_json(const Summary& of) {
  json::Object to;
  to.text("lock", of.story->name).text("path", of.story->path).text("host", of.story->host);
  to.number("max", static_cast<std::uint64_t>(of.story->max));
  to.time("from", of.story->first_ns).real("window_s", of.window_s);
  to.number("runs", of.runs);
  for (std::size_t i = 0; i < kFates; ++i) to.number(kFateNames[i], of.fates[i]);
  to.number("too_fast", of.too_fast);
  to.number("takeovers", of.takeovers).number("too_soon", of.too_soon).number("busy", of.busy);
  to.raw("busy_why", busy_why(of)).number("spam", of.spam);
  if (of.story->spam_rule.interval_ns() > 0)
    to.time("if_elapsed_s", of.story->spam_rule.interval_ns());
  if (of.story->expire_after_ns > 0) to.time("expire_after_s", of.story->expire_after_ns);
  to.number("waits", of.waits).time("waited_s", of.waited_ns);
  to.time("waited_p99_s", of.waited_p99_ns).time("waited_max_s", of.waited_max_ns);
  add_run_times(of, to);
  to.real("held_share", of.held_share)
      .real("slots_mean", of.slots_mean)
      .number("slots_most", of.slots_most);
  to.text("trend", kCourseNames[static_cast<std::size_t>(of.trend.course)]);
  if (of.trend.course != Course::unknown) to.real("trend_ratio", of.trend.ratio);
  if (of.level.found) {
    to.real("level_ratio", of.level.ratio).time("level_since", of.level.since_ns);
    to.time("level_before_s", of.level.before_ns).time("level_after_s", of.level.after_ns);
  }
  if (of.last_start_ns != 0) to.time("last_start", of.last_start_ns);
  if (of.last_success_ns != 0) to.time("last_success", of.last_success_ns);
  if (const std::optional<Learned> learned = learned_of(*of.story)) {
    if (learned->limit_ns > 0) to.time("learned_limit_s", learned->limit_ns);
    to.real("risk_asked_per_1000", learned->asked)
        .real("risk_expected_per_1000", learned->expected);
    to.number("stopped_wrongly", learned->wrongly).number("hung", learned->hung);
  }
  to.number("trouble", of.trouble());
  return to.str();
}

namespace {

constexpr double kManyFail = 0.05;

// Only the first two findings are written.
void join(std::string& to, const std::string& more) {
  if (to.find("; ") != std::string::npos) return;
  if (!to.empty()) to.append("; ");
  to.append(more);
}

std::string part(std::uint64_t some, std::uint64_t all) {
  return grouped(some) + " of " + grouped(all) + " runs";
}

std::string killed(const Summary& of) {
  const std::uint64_t killed = of.killed() - of.replaced;
  std::string to = part(killed, of.runs) + (killed == 1 ? " was killed" : " were killed");
  if (of.story->expire_after_ns == 0 || of.times.empty()) return to;
  return to + " (the limit was " + span_words(of.story->expire_after_ns) +
         ", the longest that finished took " + span_words(of.max_ns) + ")";
}

}  // namespace

std::string verdict_on(const Summary& of) {
  std::string to;
  if (of.killed() > of.replaced) join(to, killed(of));
  const bool many_fail =
      static_cast<double>(of.failed()) > kManyFail * static_cast<double>(of.runs);
  if (many_fail) join(to, part(of.failed(), of.runs) + " failed");
  if (of.too_fast > 0) join(to, part(of.too_fast, of.runs) + " ended too fast");
  if (of.spam > 0) {
    join(to, grouped(of.spam) + " requests kept arriving at or below the interval of " +
                 span_words(of.story->spam_rule.interval_ns()));
  }
  if (of.busy > 0) join(to, grouped(of.busy) + " refused as busy");
  if (of.failed() > 0 && !many_fail) join(to, grouped(of.failed()) + " failed");
  if (of.replaced > 0) join(to, grouped(of.replaced) + " replaced by the next one");
  if (of.level.found && of.level.ratio > 1) {
    join(to, "runs take " + level_words(of.level));
  } else if (of.trend.course == Course::rising) {
    join(to, "runs got " + percent(of.trend.ratio - 1) + " longer");
  }
  return to;
}

}  // namespace atmost::report
