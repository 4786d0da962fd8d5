// Any log: its lines are read, counted and drawn; no name becomes markup, no control byte comes
// out, and every count adds up.
#include <string>
#include <string_view>

#include "ledger.h"
#include "page.h"
#include "reader/record.h"
#include "require.h"
#include "stats_table.h"
#include "summary.h"

namespace {

using namespace atmost;

std::size_t count(std::string_view text, std::string_view words) {
  std::size_t found = 0;
  for (std::size_t at = text.find(words); at != std::string_view::npos;
       at = text.find(words, at + 1))
    ++found;
  return found;
}

void require_printable(std::string_view text) {
  for (char c : text)
    require(c == '\n' || c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
}

// Like the reader of whole logs, it leaves out lines that are not ours, or of an impossible time.
void take(report::RunLedger& ledger, report::RecentRuns& runs, std::string_view line) {
  constexpr std::int64_t kLatest = 7'258'118'400'000'000'000;
  history::Record record;
  if (history::read_line(line, record) == history::Reading::foreign) return;
  if (record.ns("at") < 0 || record.ns("at") > kLatest) return;
  ledger.take(record);
  runs.take(record);
}

void check(const report::Summary& lock) {
  std::uint64_t runs = 0;
  for (std::uint64_t status : lock.fates) runs += status;
  require(runs == lock.runs && lock.times.size() <= lock.runs);
  require(lock.p50_ns <= lock.p90_ns && lock.p90_ns <= lock.p99_ns && lock.p99_ns <= lock.max_ns);
  require(lock.held_share >= 0 && lock.held_share <= 1 && lock.window_s >= 0 &&
          lock.waited_ns >= 0);
  const std::string json = report::summary_json(lock);
  require_printable(json);
  require(json.find('<') == std::string::npos && json.find('\n') == std::string::npos);
  require_printable(report::stats_card(lock, {true, true, 80}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string_view text{reinterpret_cast<const char*>(data), size};
  report::RunLedger ledger;
  report::RecentRuns runs;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    take(ledger, runs, text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  ledger.close();
  const std::vector<report::Summary> locks = report::summarise(ledger);
  for (const report::Summary& lock : locks) {
    check(lock);
    require(count(report::timeline_svg(lock, ledger.first_ns(), ledger.last_ns()), "<svg") == 1);
  }
  require_printable(report::prometheus_text(locks, {}, 0, 0));
  require_printable(report::stats_table(locks, {false, false, 0}));
  const std::string page = report::page_html(ledger, locks, runs, 0, 0);
  require_printable(runs.html());
  require(count(page, "<script") == 2 && count(page, "</script") == 2 && count(page, "<!--") == 0);
  return 0;
}
