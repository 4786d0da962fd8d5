#include "stats_table.h"

#include <algorithm>
#include <cmath>

#include "core/words.h"
#include "json/json.h"
#include "quantile.h"
#include "reader/safe_text.h"

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

}  // namespace atmost::report
