#include "report_options.h"

#include "reader/exact_option.h"
#include "reader/failure.h"

namespace atmost::report {
namespace {

enum Long : int { kSvg = history::kOwnOptions };

constexpr char kUsage[] =
    "usage: atmost report [OPTION]... [LOCK]...\n\n"
    "a page to look at: what happened when, the worst offenders, run times, the queue\n\n"
    "  -o, --output FILE     write it there, whole or not at all, instead of to standard output\n"
    "      --svg             only the timeline of one LOCK, as SVG\n";

}  // namespace

std::string report_help() {
  return std::string(kUsage) + history::kSelectionHelp + history::kLockHelp;
}

ReportOptions parse_report_options(int argc, char** argv, std::int64_t now_ns) {
  ReportOptions to;
  opterr = 0;
  const std::vector<option> options = history::options_with(
      {{"output", required_argument, nullptr, 'o'}, {"svg", no_argument, nullptr, kSvg}});
  for (int letter; (letter = history::next_option(argc, argv, ":o:qvhV", options.data())) != -1;) {
    if (history::take_option(letter, optarg, now_ns, to.selection)) continue;
    switch (letter) {
      case 'o':
        to.output = history::not_empty("--output", optarg);
        break;
      case kSvg:
        to.svg = true;
        break;
      case 'h':
        to.help = true;
        return to;
      case 'V':
        to.version = true;
        return to;
      default:
        history::refuse_option(letter, argv[optind - 1], "atmost report");
    }
  }
  for (; optind < argc; ++optind) to.selection.locks.emplace_back(argv[optind]);
  if (to.svg && to.selection.locks.size() != 1)
    history::wrong_option("--svg", "it draws one lock: name it");
  return to;
}

}  // namespace atmost::report
