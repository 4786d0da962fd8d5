#include "summary_json.h"

#include <string_view>

#include "json/json.h"
#include "learned.h"
#include "quantile.h"

namespace atmost::report {
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

}  // namespace atmost::report
