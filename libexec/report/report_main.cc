// atmost report: a page to look at.
#include <unistd.h>

#include <cstdio>

#include "ledger.h"
#include "os/clock.h"
#include "page.h"
#include "reader/output.h"
#include "reader/sources.h"
#include "save.h"
#include "summary.h"

namespace atmost::report {
namespace {

constexpr char kUsage[] =
    "usage: atmost report [OPTION]... [LOCK]...\n\n"
    "a page to look at: what happened when, the worst offenders, run times, the queue\n\n"
    "  -o, --output FILE     write it there, whole or not at all, instead of to\n"
    "                        standard output\n"
    "      --svg             only the timeline of one LOCK, as SVG\n";

struct ReportOptions {
  bool svg = false;
  std::string output;  // empty: standard output
  history::Selection selection;
};

// False: --help or --version was given, and is answered.
bool read_options(int argc, char** argv, std::int64_t now_ns, ReportOptions& to) {
  enum Long : int { kSvg = history::kOwnOptions };
  const auto take = [&to](int letter, const char* value) {
    if (letter == kSvg) {
      to.svg = true;
    } else {
      to.output = history::not_empty("--output", value);
    }
  };
  if (history::read_selection(
          argc, argv,
          {"atmost report",
           kUsage,
           "o:",
           {{"output", required_argument, nullptr, 'o'}, {"svg", no_argument, nullptr, kSvg}}},
          now_ns, to.selection, take))
    return false;
  if (to.svg && to.selection.locks.size() != 1)
    history::wrong_option("--svg", "it draws one lock: name it");
  return true;
}

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

int run_report(int argc, char** argv) {
  const std::int64_t now_ns = os::now().real_ns;
  ReportOptions options;
  if (!read_options(argc, argv, now_ns, options)) return 0;
  if (options.output.empty() && isatty(STDOUT_FILENO) == 1) {
    history::wrong_option("--output", "a page is not for a terminal: use -o FILE, or a pipe");
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
  return atmost::history::run_guarded(atmost::report::run_report, argc, argv);
}
