
#include <algorithm>

#include "json/json.h"
#include "page.h"
#include "reader/output.h"
#include "stats_table.h"
#include "summary.h"

namespace atmost::report {
namespace {

constexpr std::size_t kLongestName =
    120;  // the most characters of a name and of a path; `atmost stats` shows them whole

std::string shortened(std::string_view name) {
  if (name.size() <= kLongestName) return html_text(name);
  std::size_t end = kLongestName;
  while (end > 0 && (name[end] & '\xC0') == '\x80') --end;
  return html_text(name.substr(0, end)) + "…";
}

struct Column {
  const char* head;
  const char* about;
};
// page.css has the heads, too: where there is no room for columns, a row is a card.
constexpr Column kColumns[] = {
    {"Lock", "Name of the lock, and what there is to say about it"},
    {"Trouble",
     "10 for a killed run, 3 for a failed one, 1 for a request that was refused as busy or came "
     "too often; none for a run that the next one replaced"},
    {"Runs", "Times it was admitted"},
    {"Failed", "Runs with another exit code than 0, or a signal"},
    {"Killed", "Runs that were stopped: overdue, or at --max-runtime"},
    {"Busy", "Requests refused because no slot was free"},
    {"Too soon", "Requests refused before --if-elapsed was over"},
    {"Too often", "Requests that kept arriving at or below the interval"},
    {"Waits", "Requests that waited"},
    {"p50", "Half of the runs that finished took no longer"},
    {"p99", "99 of 100 took no longer"},
    {"Longest", "The longest run that finished"},
    {"Held", "Share of the time in which a slot was held"},
    {"Trend", "Change of the run time from the beginning to the end"},
};

std::string cell(double value, const std::string& words) {
  return "<td data-v=\"" + json::decimal(value, 3) + "\">" + words + "</td>";
}
std::string cell(std::uint64_t count) {
  return cell(static_cast<double>(count), count == 0 ? "<i>–</i>" : grouped(count));
}
std::string span_cell(const Summary& of, std::int64_t ns) {
  if (of.times.empty()) return cell(-1, "<i>–</i>");
  return cell(static_cast<double>(ns) / 1e9, html_text(span_words(ns)));
}

std::string trend_cell(const Summary& of) {
  if (of.trend.course == Course::unknown) return cell(0, "<i>–</i>");
  const double change = (of.trend.ratio - 1) * 100;
  if (of.trend.course == Course::steady) return cell(change, "steady");
  const bool rising = of.trend.course == Course::rising;
  return cell(change, std::string(rising ? "↗ +" : "↘ ") + json::decimal(change, 0) + " %");
}

std::string trouble_cell(const Summary& of, std::uint64_t most) {
  const double share =
      most == 0 ? 0 : static_cast<double>(of.trouble()) / static_cast<double>(most);
  return "<td class=\"trouble\" data-v=\"" + std::to_string(of.trouble()) +
         "\"><meter min=\"0\" max=\"1\" value=\"" + json::decimal(share, 3) + "\"></meter><span>" +
         grouped(of.trouble()) + "</span></td>";
}

std::string row(const Summary& of, std::size_t index, std::uint64_t most) {
  const std::string number = std::to_string(index);
  const std::string verdict = html_text(verdict_on(of));
  std::string to = "<tr data-lock=\"" + number + "\"><th scope=\"row\" data-v=\"" + number +
                   "\" title=\"" + shortened(of.story->path) + "\"><a href=\"#lock-" + number +
                   "\">" + shortened(of.story->name) + "</a>" +
                   (verdict.empty() ? "" : "<small>" + verdict + "</small>") + "</th>";
  to += trouble_cell(of, most) + cell(of.runs) + cell(of.failed()) + cell(of.killed()) +
        cell(of.busy);
  to += cell(of.too_soon) + cell(of.spam) + cell(of.waits);
  to += span_cell(of, of.p50_ns) + span_cell(of, of.p99_ns) + span_cell(of, of.max_ns);
  return to + cell(of.held_share, html_text(percent(of.held_share))) + trend_cell(of) + "</tr>\n";
}

}  // namespace

std::string locks_table(const std::vector<Summary>& locks) {
  std::string to = "<table id=\"locks\"><thead><tr>";
  for (const Column& column : kColumns) {
    const bool sorted = &column == &kColumns[1];
    to += std::string("<th scope=\"col\" title=\"") + column.about + "\"" +
          (sorted ? " aria-sort=\"descending\"" : "") + "><button type=\"button\">" + column.head +
          "</button></th>";
  }
  to += "</tr></thead><tbody>\n";
  std::uint64_t most = 0;
  for (const Summary& lock : locks) most = std::max(most, lock.trouble());
  for (std::size_t i = 0; i < locks.size(); ++i) to += row(locks[i], i, most);
  return to + "</tbody></table>";
}

namespace {

using history::Record;

std::string how_it_ended(const Record& record) {
  if (!record.flag("started", true)) return "not started";
  std::string words = record.text("signal").empty()
                          ? "exit " + std::to_string(record.number("exit"))
                          : "signal " + history::text_of(record.text("signal"));
  if (record.text("signal").empty() && record.number("exit") == Record::kAbsent)
    words = "not known";
  if (!record.text("stopped").empty())
    words += ", stopped: " + history::text_of(record.text("stopped"));
  if (record.flag("too_fast") || record.flag("suspicious")) words += ", too fast";
  return words;
}

std::int64_t span_or_zero(std::int64_t ns) {
  return ns == Record::kAbsent || ns == Record::kNever || ns < 0 ? 0 : ns;
}

}  // namespace

void RecentRuns::take(const Record& record) {
  if (record.kind != Event::Kind::ended) return;
  const std::int64_t ran = span_or_zero(record.ns("ran_s"));
  const std::string how = how_it_ended(record);
  runs_.push_back({record.ns("at") - ran, span_or_zero(record.ns("waited_s")), ran,
                   record.number("pid"), how, history::text_of(record.text("command")),
                   history::text_of(record.text("host")), how == "exit 0"});
  ++all_;
  if (runs_.size() > kMost) runs_.pop_front();
}

std::string RecentRuns::html() const {
  if (runs_.empty()) return {};
  std::deque<Ended> newest = runs_;
  std::stable_sort(newest.begin(), newest.end(), [](const Ended& one, const Ended& other) {
    return one.start_ns > other.start_ns;
  });
  std::string to =
      "<section id=\"runs\" aria-labelledby=\"runs-head\">\n<h2 id=\"runs-head\">Its runs, the "
      "newest first</h2>\n";
  if (all_ > newest.size()) {
    to += "<p class=\"keys\">The last " + grouped(newest.size()) + " of " + grouped(all_) +
          "; atmost history lists all.</p>\n";
  }
  to +=
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of runs\"><table>"
      "<thead><tr><th scope=\"col\">Began</th><th scope=\"col\">Waited</th><th "
      "scope=\"col\">Ran</th><th scope=\"col\">Ended</th><th scope=\"col\">Process</th><th "
      "scope=\"col\">Command</th></tr></thead><tbody>\n";
  for (const Ended& run : newest) {
    const std::string process = (run.pid == Record::kAbsent ? "–" : std::to_string(run.pid)) +
                                (run.host.empty() ? "" : "@" + html_text(run.host));
    to += std::string("<tr") + (run.good ? "" : " class=\"bad\"") + "><th scope=\"row\">" +
          moment_html(run.start_ns) + "</th><td>" +
          (run.waited_ns == 0 ? "<i>–</i>" : html_text(span_words(run.waited_ns))) + "</td><td>" +
          html_text(span_words(run.ran_ns)) + "</td><td>" + html_text(run.how) + "</td><td>" +
          process + "</td><td>" + html_text(run.command) + "</td></tr>\n";
  }
  return to + "</tbody></table></div>\n</section>\n";
}

}  // namespace atmost::report
