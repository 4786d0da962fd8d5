#include "options.h"

#include "core/parse.h"
#include "reader/selection.h"

namespace atmost::simulate {
namespace {

using history::wrong_option;

enum Long : int { kSplit = history::kOwnOptions, kMinRuns, kSlots, kRisk, kMin, kMax, kJson };

constexpr char kHelp[] =
    "usage: atmost simulate [OPTION]... TRACE\n\n"
    "compare ways to limit run times on a recorded log: how many good runs each would\n"
    "have killed, and how long a hang would have gone unnoticed\n\n"
    "      --auto-risk N     learned limits that kill about N good runs in 1,000;\n"
    "                        repeatable (5)\n"
    "      --auto-min DUR    no limit of any kind is shorter (1s)\n"
    "      --auto-max DUR    nor longer (1w)\n"
    "      --min-runs N      leave out locks with fewer runs (30)\n"
    "      --slots N         so many runs of a lock at a time: others wait (as in the log)\n"
    "      --split HOW       also the two halves, each learning from itself alone: by\n"
    "                        user, or by time\n"
    "      --json            one JSON object a line\n"
    "  -q, --quiet           no progress, nothing about lines that could not be read\n"
    "  -h, --help            show this\n"
    "  -V, --version         show the version\n\n"
    "TRACE: a history of atmost, or a log in the Standard Workload Format; gzip is\n"
    "undone. -: standard input.\n"
    "DUR: 90, 90s, 15m, 1h30m, 1.5h, 2d, 1w, 250ms, inf.\n";

template <class T>
T value_of(const std::string& option, const Result<T>& parsed) {
  if (!parsed.ok()) wrong_option(option, std::string(parsed.error().message.view()));
  return parsed.value();
}

Split split_of(const std::string& word) {
  if (word == "user") return Split::user;
  if (word == "time") return Split::time;
  wrong_option("--split", "\"" + word + "\" is none of user, time");
}

void take(int letter, const char* value, Options& to) {
  switch (letter) {
    case kSplit:
      to.split = split_of(value);
      return;
    case kMinRuns:
      to.min_runs = value_of("--min-runs", parse_count(value, 2, 1'000'000'000));
      return;
    case kSlots:
      to.slots = value_of("--slots", parse_count(value, 1, 1'000'000));
      return;
    case kRisk:
      to.risks_ppm.push_back(value_of("--auto-risk", parse_risk(value)));
      return;
    case kMin:
      to.bounds.low = value_of("--auto-min", parse_duration(value));
      return;
    case kMax:
      to.bounds.high = value_of("--auto-max", parse_duration(value));
      return;
    case kJson:
      to.json = true;
      return;
    case 'q':
      to.quiet = true;
      return;
    default:
      return;
  }
}

}  // namespace

bool read_arguments(int argc, char** argv, Options& to) {
  std::vector<std::string> traces;
  if (history::read_command_line(argc, argv,
                                 {"atmost simulate",
                                  kHelp,
                                  "qv",
                                  {{"split", required_argument, nullptr, kSplit},
                                   {"min-runs", required_argument, nullptr, kMinRuns},
                                   {"slots", required_argument, nullptr, kSlots},
                                   {"auto-risk", required_argument, nullptr, kRisk},
                                   {"auto-min", required_argument, nullptr, kMin},
                                   {"auto-max", required_argument, nullptr, kMax},
                                   {"json", no_argument, nullptr, kJson},
                                   {"quiet", no_argument, nullptr, 'q'},
                                   {"verbose", no_argument, nullptr, 'v'}}},
                                 traces,
                                 [&to](int letter, const char* value) { take(letter, value, to); }))
    return false;
  if (traces.size() != 1) wrong_option("simulate", "needs one TRACE; see atmost simulate --help");
  to.trace = traces[0];
  to.no_limit = to.bounds.high.is_forever() ? Duration::seconds(24 * 3600) : to.bounds.high;
  // Limits are compared by their logarithms, so none is 0.
  if (to.bounds.low < Duration::millis(1))
    wrong_option("--auto-min", "too short: use 1ms at least");
  if (to.bounds.low > to.bounds.high) wrong_option("--auto-min", "longer than --auto-max");
  if (to.risks_ppm.empty()) to.risks_ppm = {to.bounds.risk_ppm};
  return true;
}

}  // namespace atmost::simulate
