#include "stats_table.h"

#include <algorithm>
#include <cmath>

#include "core/words.h"
#include "json/json.h"
#include "quantile.h"
#include "reader/safe_text.h"

namespace atmost::report {
namespace {

struct Column {
  const char* head;
  bool left;    // words, not numbers
  bool always;  // shown even if it is empty everywhere
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

constexpr Column kColumns[] = {
    {"LOCK", true, true, [](const Summary& of) { return history::escaped(of.story->name); }},
    {"RUNS", false, true, [](const Summary& of) { return std::to_string(of.runs); }},
    {"FAILED", false, false, [](const Summary& of) { return count(of.failed()); }},
    {"KILLED", false, false, [](const Summary& of) { return count(of.killed()); }},
    {"TAKEOVERS", false, false, [](const Summary& of) { return count(of.takeovers); }},
    {"TOO SOON", false, false, [](const Summary& of) { return count(of.too_soon); }},
    {"SPAM", false, false, [](const Summary& of) { return count(of.spam); }},
    {"BUSY", false, false, [](const Summary& of) { return count(of.busy); }},
    {"WAITS", false, false, [](const Summary& of) { return count(of.waits); }},
    {"LONGEST", false, false,
     [](const Summary& of) {
       return of.waits == 0 ? std::string() : span_words(of.waited_max_ns);
     }},
    {"P50", false, false, [](const Summary& of) { return time(of, of.p50_ns); }},
    {"P90", false, false, [](const Summary& of) { return time(of, of.p90_ns); }},
    {"P99", false, false, [](const Summary& of) { return time(of, of.p99_ns); }},
    {"MAX", false, false, [](const Summary& of) { return time(of, of.max_ns); }},
    {"HELD", false, true, [](const Summary& of) { return percent(of.held_share); }},
    {"TREND", false, false, trend_words},
    // Behind the others: scripts go by the place of a column.
    {"TOO FAST", false, false, [](const Summary& of) { return count(of.too_fast); }},
    {"LEVEL", true, false,
     [](const Summary& of) { return of.level.found ? level_words(of.level) : std::string(); }},
};

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

using Row = std::vector<std::string>;

std::string tabbed(const std::vector<Row>& rows) {
  std::string to;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) to.append(i > 0 ? "\t" : "").append(row[i]);
    to.push_back('\n');
  }
  return to;
}

std::string fitted(const std::vector<Row>& rows, const std::vector<bool>& left) {
  std::vector<std::size_t> widths(left.size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], history::width_of(row[i]));
  }
  std::string to;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - history::width_of(row[i]), ' ');
      line.append(i > 0 ? "  " : "").append(left[i] ? row[i] + pad : pad + row[i]);
    }
    to.append(line.erase(line.find_last_not_of(' ') + 1)).push_back('\n');
  }
  return to;
}

std::size_t widest_line(const std::string& text) {
  std::size_t most = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    most = std::max(most, history::width_of(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return most;
}

}  // namespace

std::string stats_table(const std::vector<Summary>& locks, const Paper& paper) {
  std::vector<Row> rows(locks.size() + 1);
  std::vector<bool> left;
  for (const Column& column : kColumns) {
    Row cells;
    bool any = column.always || !paper.terminal;
    for (const Summary& lock : locks) {
      cells.push_back(column.cell(lock));
      any = any || !cells.back().empty();
    }
    if (!any) continue;
    left.push_back(column.left);
    rows[0].push_back(column.head);
    for (std::size_t i = 0; i < cells.size(); ++i) rows[i + 1].push_back(cells[i]);
  }
  if (!paper.terminal) return tabbed(rows);
  const Sparks sparks(locks, paper.utf8);
  std::vector<Row> drawn = rows;
  std::vector<bool> drawn_left = left;
  drawn_left.push_back(true);
  drawn[0].push_back(sparks.head());
  for (std::size_t i = 0; i < locks.size(); ++i) drawn[i + 1].push_back(sparks.line(locks[i]));
  std::string text = fitted(drawn, drawn_left);
  return paper.width == 0 || widest_line(text) <= paper.width ? text : fitted(rows, left);
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
