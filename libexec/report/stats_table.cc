#include "stats_table.h"

#include <algorithm>
#include <cmath>

#include "core/words.h"
#include "json/json.h"
#include "present.h"
#include "reader/output.h"
#include "statistics.h"

namespace atmost::report {
namespace {

using history::Row;

struct Column {
  history::Column shown;
  std::string (*cell)(const Summary& lock);
};

std::string count(std::uint64_t number) {
  return number == 0 ? std::string() : std::to_string(number);
}
std::string time(const Summary& of, std::int64_t ns) {
  return of.times.empty() ? std::string() : span_words(ns);
}

std::string trend_words(const Summary& of) {
  if (of.trend.course == Course::unknown) return {};
  if (of.trend.course == Course::steady) return "steady";
  std::string to = of.trend.ratio > 1 ? "+" : "";
  return to.append(json::decimal((of.trend.ratio - 1) * 100, 0)).append(" %");
}

const Column kColumns[] = {
    {{"LOCK", true, true}, [](const Summary& of) { return history::escaped(of.story->name); }},
    {{"RUNS", false, true}, [](const Summary& of) { return std::to_string(of.runs); }},
    {{"FAILED"}, [](const Summary& of) { return count(of.failed()); }},
    {{"KILLED"}, [](const Summary& of) { return count(of.killed()); }},
    {{"TAKEOVERS", false, false, 8}, [](const Summary& of) { return count(of.takeovers); }},
    {{"TOO SOON"}, [](const Summary& of) { return count(of.too_soon); }},
    {{"SPAM", false, false, 1}, [](const Summary& of) { return count(of.spam); }},
    {{"BUSY"}, [](const Summary& of) { return count(of.busy); }},
    {{"WAITS", false, false, 10}, [](const Summary& of) { return count(of.waits); }},
    {{"LONGEST", false, false, 9},
     [](const Summary& of) {
       return of.waits == 0 ? std::string() : span_words(of.waited_max_ns);
     }},
    {{"P50"}, [](const Summary& of) { return time(of, of.p50_ns); }},
    {{"P90", false, false, 11}, [](const Summary& of) { return time(of, of.p90_ns); }},
    {{"P99", false, false, 7}, [](const Summary& of) { return time(of, of.p99_ns); }},
    {{"MAX", false, false, 2}, [](const Summary& of) { return time(of, of.max_ns); }},
    {{"HELD", false, true, 4}, [](const Summary& of) { return percent(of.held_share); }},
    {{"TREND", false, false, 6}, trend_words},
    // Behind the others: scripts go by the place of a column.
    {{"TOO FAST", false, false, 3}, [](const Summary& of) { return count(of.too_fast); }},
    {{"LEVEL", true, false, 5},
     [](const Summary& of) { return of.level.found ? level_words(of.level) : std::string(); }},
};
constexpr unsigned kSparksGo = 12;  // before all others

constexpr std::string_view kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kMarks[] = {" ", ".", ".", ":", ":", "+", "+", "#", "#"};
constexpr std::size_t kSteps = 8;
constexpr std::size_t kSparkBars = 16;

// All locks' run times on one scale, so that rows can be compared.
class Sparks {
 public:
  Sparks(const std::vector<Summary>& locks, bool utf8) : marks_(utf8 ? kBlocks : kMarks) {
    std::vector<std::int64_t> ends;
    for (const Summary& lock : locks) {
      if (lock.times.empty()) continue;
      ends.push_back(lock.times.front());
      ends.push_back(lock.times.back());
    }
    std::sort(ends.begin(), ends.end());
    scale_ = round_bars(ends, kSparkBars);
    if (!scale_.empty()) {
      head_ = "RUN TIMES, " + span_words(scale_.front().from_ns) + " TO " +
              (scale_.back().to_ns == INT64_MAX ? "MORE" : span_words(scale_.back().to_ns));
    }
  }

  const std::string& head() const { return head_; }
  std::string line(const Summary& of) const {
    std::vector<std::uint64_t> counts;
    for (const Bar& bar : scale_) {
      const auto from = std::lower_bound(of.times.begin(), of.times.end(), bar.from_ns);
      const auto to = &bar == &scale_.back()
                          ? of.times.end()
                          : std::lower_bound(of.times.begin(), of.times.end(), bar.to_ns);
      counts.push_back(static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(0, to - from)));
    }
    const std::uint64_t most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    std::string to;
    for (std::uint64_t number : counts) {
      to.append(marks_[number == 0 ? 0 : std::max<std::size_t>(1, number * kSteps / most)]);
    }
    return to;
  }

 private:
  const std::string_view* marks_;
  std::vector<Bar> scale_;
  std::string head_;
};

}  // namespace

std::string stats_table(const std::vector<Summary>& locks, const history::Paper& paper) {
  std::vector<history::Column> columns;
  std::vector<Row> rows(locks.size());
  for (const Column& column : kColumns) {
    columns.push_back(column.shown);
    for (std::size_t i = 0; i < locks.size(); ++i) rows[i].push_back(column.cell(locks[i]));
  }
  if (paper.terminal) {
    const Sparks sparks(locks, paper.utf8);
    columns.push_back({sparks.head(), true, false, kSparksGo});
    for (std::size_t i = 0; i < locks.size(); ++i) rows[i].push_back(sparks.line(locks[i]));
  }
  return history::table(columns, rows, paper);
}

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string to;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) to.push_back(',');
    to.push_back(digits[i]);
  }
  return to;
}

std::string span_words(std::int64_t ns) {
  constexpr std::int64_t kMs = 1'000'000;
  if (ns > 0 && ns < kMs) return "<1ms";
  return std::string(duration_words({ns}).view());
}

std::string percent(double share) {
  const double value = share * 100;
  if (value > 0 && value < 0.1) return "<0.1 %";
  return json::decimal(value, value < 10 ? 1 : 0) + " %";
}

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

std::string course_words(const Summary& of) {
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
  to += line("trend", course_words(of));
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
