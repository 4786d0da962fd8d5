#include "recent_runs.h"

#include <algorithm>

#include "page.h"
#include "reader/safe_text.h"
#include "stats_table.h"

namespace atmost::report {
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
