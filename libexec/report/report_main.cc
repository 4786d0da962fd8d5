// atmost report: a page to look at.
#include <unistd.h>

#include <cstdio>

#include "ledger.h"
#include "os/clock.h"
#include "page.h"
#include "reader/failure.h"
#include "reader/whole_log.h"
#include "report_options.h"
#include "save.h"
#include "summary.h"
#include "svg.h"

namespace atmost::report {
namespace {

std::string text_for(const ReportOptions& options, const RunLedger& ledger, const RecentRuns& runs,
                     std::size_t skipped, std::int64_t now_ns) {
  const std::vector<Summary> locks = summarise(ledger);
  if (!options.svg) return page_html(ledger, locks, runs, skipped, now_ns);
  if (locks.empty()) {
    throw history::Failure(Code::not_found,
                           options.selection.locks.front() + ": the history knows no such lock");
  }
  return timeline_svg(locks.front(), ledger.first_ns(), ledger.last_ns());
}

int run(int argc, char** argv) {
  const std::int64_t now_ns = os::now().real_ns;
  const ReportOptions options = parse_report_options(argc, argv, now_ns);
  if (options.help) return history::print(report_help());
  if (options.version) return history::print("atmost " ATMOST_VERSION "\n");
  if (options.output.empty() && isatty(STDOUT_FILENO) == 1) {
    history::wrong_option("--output",
                          "a page is nothing for a terminal: say -o FILE, or use a pipe");
  }
  RunLedger ledger;
  if (options.selection.logs.size() > 1) ledger.tell_hosts_apart();
  RecentRuns runs;
  const history::ReadThrough read =
      history::read_whole(options.selection, [&](const history::Record& record) {
        ledger.take(record);
        if (options.selection.locks.size() == 1) runs.take(record);
      });
  ledger.close();
  return deliver(options.output, text_for(options, ledger, runs, read.skipped, now_ns));
}

}  // namespace
}  // namespace atmost::report

int main(int argc, char** argv) {
  return atmost::history::run_guarded(atmost::report::run, argc, argv);
}
