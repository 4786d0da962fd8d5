// atmost stats: the history in numbers.
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstring>

#include "ledger.h"
#include "os/clock.h"
#include "prometheus.h"
#include "reader/failure.h"
#include "reader/whole_log.h"
#include "save.h"
#include "stats_options.h"
#include "stats_table.h"
#include "summary.h"
#include "summary_json.h"

namespace atmost::report {
namespace {

Paper look_at_paper() {
  Paper paper;
  paper.terminal = isatty(STDOUT_FILENO) == 1;
  std::setlocale(LC_CTYPE, "");
  paper.utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  struct winsize size = {};
  if (paper.terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) paper.width = size.ws_col;
  return paper;
}

std::string text_for(const StatsOptions& options, const std::vector<Summary>& locks,
                     std::size_t skipped, std::int64_t now_ns) {
  if (options.prometheus) {
    // Another machine's log may name files that are other locks here.
    const bool usual_log = options.selection.logs.empty();
    return prometheus_text(locks, usual_log ? look_at_present(locks) : PresentLocks(), skipped,
                           now_ns);
  }
  if (options.json) {
    std::string lines;
    for (const Summary& lock : locks) lines.append(summary_json(lock)).push_back('\n');
    return lines;
  }
  const Paper paper = look_at_paper();
  if (locks.empty()) return {};
  return paper.terminal && locks.size() == 1 ? stats_card(locks.front(), paper)
                                             : stats_table(locks, paper);
}

int run(int argc, char** argv) {
  const std::int64_t now_ns = os::now().real_ns;
  const StatsOptions options = parse_stats_options(argc, argv, now_ns);
  if (options.help) return history::print(stats_help());
  if (options.version) return history::print("atmost " ATMOST_VERSION "\n");
  RunLedger ledger;
  if (options.selection.logs.size() > 1) ledger.tell_hosts_apart();
  const history::ReadThrough read = history::read_whole(
      options.selection, [&](const history::Record& record) { ledger.take(record); });
  ledger.close();
  return deliver(options.prometheus_file,
                 text_for(options, summarise(ledger), read.skipped, now_ns));
}

}  // namespace
}  // namespace atmost::report

int main(int argc, char** argv) {
  return atmost::history::run_guarded(atmost::report::run, argc, argv);
}
