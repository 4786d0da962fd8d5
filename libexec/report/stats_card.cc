// One lock at length.
#include <algorithm>

#include "json/json.h"
#include "learned.h"
#include "quantile.h"
#include "reader/safe_text.h"
#include "stats_table.h"

namespace atmost::report {
namespace {

constexpr std::size_t kBars = 14;
constexpr std::size_t kBarWidth = 40;
constexpr double kNsPerSecond = 1e9;

std::string line(const char* name, const std::string& words) {
  std::string to = std::string("  ") + name;
  to.resize(13, ' ');
  return to + words + "\n";
}

void join(std::string& to, const std::string& more) {
  if (!to.empty()) to.append(", ");
  to.append(more);
}

std::string runs_words(const Summary& of) {
  std::string to;
  constexpr const char* kWords[] = {"succeeded", "failed", "killed", "without an end yet",
                                    "without a logged end"};
  for (std::size_t i = 0; i < kFates; ++i) {
    if (of.fates[i] > 0) join(to, grouped(of.fates[i]) + " " + kWords[i]);
  }
  if (of.too_fast > 0) join(to, grouped(of.too_fast) + " too fast");
  if (of.takeovers > 0) join(to, grouped(of.takeovers) + " taken over");
  return grouped(of.runs) + (to.empty() ? "" : ": ") + to;
}

std::string refused_words(const Summary& of) {
  std::string to;
  if (of.too_soon > 0) join(to, grouped(of.too_soon) + " too soon");
  if (of.busy > 0) {
    std::string why;
    for (std::size_t i = 0; i < of.busy_why.size(); ++i) {
      if (of.busy_why[i] == 0) continue;
      std::string name(i == 0 ? "other" : kWhyNames[i]);
      std::replace(name.begin(), name.end(), '_', ' ');
      join(why, grouped(of.busy_why[i]) + " " + name);
    }
    join(to, grouped(of.busy) + " busy (" + why + ")");
  }
  return to.empty() ? "never" : to;
}

std::string waited_words(const Summary& of) {
  if (of.waits == 0) return "never";
  return grouped(of.waits) + (of.waits == 1 ? " time" : " times") + ", " +
         span_words(of.waited_ns) + " in all, p99 " + span_words(of.waited_p99_ns) + ", longest " +
         span_words(of.waited_max_ns);
}

std::string held_words(const Summary& of) {
  std::string to = percent(of.held_share) + " of " +
                   span_words(static_cast<std::int64_t>(of.window_s * kNsPerSecond));
  if (of.story->max <= 1 && of.slots_most <= 1) return to;
  return to + "; " + json::decimal(of.slots_mean, 2) + " slots on average, " +
         grouped(of.slots_most) + " at most";
}

std::string trend_words(const Summary& of) {
  if (of.trend.course == Course::unknown) return "not known from so few runs";
  if (of.trend.course == Course::steady) return "steady";
  const bool longer = of.trend.course == Course::rising;
  const double share = longer ? of.trend.ratio - 1 : 1 - of.trend.ratio;
  return "runs got " + percent(share) + (longer ? " longer" : " shorter") + " over this time";
}

std::string drawing(const Summary& of, bool utf8) {
  const std::vector<Bar> bars = round_bars(of.times, kBars);
  std::uint64_t most = 1;
  for (const Bar& bar : bars) most = std::max(most, bar.count);
  std::string to;
  for (const Bar& bar : bars) {
    const std::string from = bar.from_ns == 0 ? "0" : span_words(bar.from_ns);
    const std::size_t cells =
        bar.count == 0 ? 0 : std::max<std::uint64_t>(1, bar.count * kBarWidth / most);
    to.append(std::string(from.size() < 10 ? 10 - from.size() : 0, ' ') + from + " ");
    to.append(utf8 ? "│" : "|");
    for (std::size_t i = 0; i < cells; ++i) to.append(utf8 ? "█" : "#");
    if (bar.count > 0) to.append(" ").append(grouped(bar.count));
    to.push_back('\n');
  }
  return to;
}

}  // namespace

std::string stats_card(const Summary& of, const history::Paper& paper) {
  std::string to =
      history::escaped(of.story->name) + "  " + history::escaped(of.story->path) + "\n";
  to += line("runs", runs_words(of)) + line("refused", refused_words(of));
  if (of.spam > 0) {
    to += line("spam", grouped(of.spam) + " requests kept arriving at or below the interval of " +
                           span_words(of.story->spam_rule.interval_ns()));
  }
  to += line("waited", waited_words(of)) + line("held", held_words(of));
  if (of.times.empty()) return to;
  to += line("run times", "p50 " + span_words(of.p50_ns) + ", p90 " + span_words(of.p90_ns) +
                              ", p99 " + span_words(of.p99_ns) + ", longest " +
                              span_words(of.max_ns));
  to += line("trend", trend_words(of));
  if (of.level.found) {
    to +=
        line("level", "runs take " + level_words(of.level) + ": " + span_words(of.level.after_ns) +
                          " instead of " + span_words(of.level.before_ns));
  }
  if (const std::optional<Learned> learned = learned_of(*of.story)) {
    to += line("limit", learned->limit_words);
    if (!learned->risk_words.empty()) to += line("risk", learned->risk_words);
  }
  return to + drawing(of, paper.utf8);
}

}  // namespace atmost::report
