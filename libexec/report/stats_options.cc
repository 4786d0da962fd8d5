#include "stats_options.h"

#include "reader/exact_option.h"
#include "reader/failure.h"

namespace atmost::report {
namespace {

enum Long : int { kJson = history::kOwnOptions, kPrometheus };

constexpr char kUsage[] =
    "usage: atmost stats [OPTION]... [LOCK]...\n\n"
    "the history in numbers, lock by lock: runs, refusals, waits, run times; the most trouble "
    "first\n\n"
    "      --json            one JSON object a line for each lock\n"
    "      --prometheus      Prometheus text format; --prometheus=FILE replaces FILE whole, for "
    "node_exporter's\n"
    "                        textfile collector\n";

}  // namespace

std::string stats_help() {
  return std::string(kUsage) + history::kSelectionHelp + history::kLockHelp;
}

StatsOptions parse_stats_options(int argc, char** argv, std::int64_t now_ns) {
  StatsOptions to;
  opterr = 0;
  const std::vector<option> options =
      history::options_with({{"json", no_argument, nullptr, kJson},
                             {"prometheus", optional_argument, nullptr, kPrometheus}});
  for (int letter; (letter = history::next_option(argc, argv, ":qvhV", options.data())) != -1;) {
    if (history::take_option(letter, optarg, now_ns, to.selection)) continue;
    switch (letter) {
      case kJson:
        to.json = true;
        break;
      case kPrometheus:
        to.prometheus = true;
        if (optarg != nullptr) to.prometheus_file = history::not_empty("--prometheus", optarg);
        break;
      case 'h':
        to.help = true;
        return to;
      case 'V':
        to.version = true;
        return to;
      default:
        history::refuse_option(letter, argv[optind - 1], "atmost stats");
    }
  }
  for (; optind < argc; ++optind) to.selection.locks.emplace_back(argv[optind]);
  if (to.json && to.prometheus)
    history::wrong_option("--prometheus", "it and --json are two formats: use one");
  return to;
}

}  // namespace atmost::report
