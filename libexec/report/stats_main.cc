// atmost stats: the history in numbers.
#include "ledger.h"
#include "os/clock.h"
#include "present.h"
#include "reader/output.h"
#include "reader/sources.h"
#include "save.h"
#include "stats_table.h"
#include "summary.h"

namespace atmost::report {
namespace {

constexpr char kUsage[] =
    "usage: atmost stats [OPTION]... [LOCK]...\n\n"
    "the history in numbers, lock by lock: runs, refusals, waits, run times; the\n"
    "most trouble first\n\n"
    "      --json            one JSON object a line for each lock\n"
    "      --prometheus      Prometheus text format; --prometheus=FILE replaces FILE\n"
    "                        whole, for node_exporter's textfile collector\n";

struct StatsOptions {
  bool json = false;
  bool prometheus = false;
  std::string prometheus_file;  // empty: standard output
  history::Selection selection;
};

// False: --help or --version was given, and is answered.
bool read_options(int argc, char** argv, std::int64_t now_ns, StatsOptions& to) {
  enum Long : int { kJson = history::kOwnOptions, kPrometheus };
  const auto take = [&to](int letter, const char* value) {
    (letter == kJson ? to.json : to.prometheus) = true;
    if (value != nullptr) to.prometheus_file = history::not_empty("--prometheus", value);
  };
  if (history::read_selection(argc, argv,
                              {"atmost stats",
                               kUsage,
                               "",
                               {{"json", no_argument, nullptr, kJson},
                                {"prometheus", optional_argument, nullptr, kPrometheus}}},
                              now_ns, to.selection, take))
    return false;
  if (to.json && to.prometheus)
    history::wrong_option("--prometheus", "it and --json are two formats: use one");
  return true;
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
  const history::Paper paper = history::look_at_paper();
  if (locks.empty()) return {};
  return paper.terminal && locks.size() == 1 ? stats_card(locks.front(), paper)
                                             : stats_table(locks, paper);
}

int run_stats(int argc, char** argv) {
  const std::int64_t now_ns = os::now().real_ns;
  StatsOptions options;
  if (!read_options(argc, argv, now_ns, options)) return 0;
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
  return atmost::history::run_guarded(atmost::report::run_stats, argc, argv);
}
