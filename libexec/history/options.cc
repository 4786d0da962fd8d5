#include "options.h"

#include <getopt.h>

#include "atmost/parse.h"
#include "filter.h"
#include "history/names.h"
#include "when.h"

namespace atmost::history {
namespace {

constexpr char kHelp[] =
    "usage: atmost history [OPTION]... [LOCK]...\n\n"
    "what happened: admissions, refusals, takeovers and ends, oldest first\n\n"
    "      --lock LOCK       only this lock (as LOCK; may be repeated)\n"
    "      --since WHEN      not before WHEN: a duration ago (2h, 3d), or 2026-01-31, 2026-01-31T18:00:00Z, "
    "@SECONDS\n"
    "      --until WHEN      before WHEN\n"
    "      --event KIND      admitted, denied, expired, signalled, ended, lost (several with commas)\n"
    "      --outcome WHAT    success, failure, killed, timed_out, lost, too_soon, busy (several with "
    "commas)\n"
    "  -n, --last N          only the last N of those\n"
    "  -f, --follow          go on with what happens from now on (after the last 10, unless -n)\n"
    "      --json            the lines as they were logged\n"
    "      --dir DIR         where named locks live, and their history\n"
    "      --log FILE        read this history (and FILE.1 before it)\n"
    "      --host NAME       the host's name, for the lock directory and atoms\n"
    "  -q, --quiet           do not tell of lines that could not be read\n"
    "  -h, --help, -V, --version\n\n"
    "LOCK: a path (/x, ./x, a/x), operator:operand, or a name in the lock directory.\n";

enum Long : int { kLock = 256, kSince, kUntil, kEvent, kOutcome, kJson, kDir, kLog, kHost };

constexpr option kOptions[] = {
    {"lock", required_argument, nullptr, kLock},
    {"since", required_argument, nullptr, kSince},
    {"until", required_argument, nullptr, kUntil},
    {"event", required_argument, nullptr, kEvent},
    {"outcome", required_argument, nullptr, kOutcome},
    {"last", required_argument, nullptr, 'n'},
    {"follow", no_argument, nullptr, 'f'},
    {"json", no_argument, nullptr, kJson},
    {"dir", required_argument, nullptr, kDir},
    {"log", required_argument, nullptr, kLog},
    {"host", required_argument, nullptr, kHost},
    {"quiet", no_argument, nullptr, 'q'},
    {"verbose", no_argument, nullptr, 'v'},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

[[noreturn]] void wrong(const std::string& option, const std::string& why) {
  throw Failure(Code::usage, option + ": " + why);
}

// Calls `add` with the index in `names` of each of the words in `list`.
template <std::size_t N, class Add>
void each_word(const std::string& option, std::string_view list, const std::string_view (&names)[N],
               Add add) {
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    std::size_t index = 0;
    while (index < N && names[index] != word) ++index;
    if (index == N || word.empty()) {
      std::string known;
      for (std::string_view name : names) {
        if (!name.empty()) known.append(known.empty() ? "" : ", ").append(name);
      }
      wrong(option, "\"" + std::string(word) + "\" is none of " + known);
    }
    add(index);
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

std::string not_empty(const std::string& option, const char* value) {
  if (*value == '\0') wrong(option, "it has no name");
  return value;
}

}  // namespace

const char* help_text() { return kHelp; }

Options parse_options(int argc, char** argv, std::int64_t now_ns) {
  Options to;
  opterr = 0;
  for (int letter; (letter = getopt_long(argc, argv, ":n:fqvhV", kOptions, nullptr)) != -1;) {
    switch (letter) {
      case kLock:
        to.locks.emplace_back(optarg);
        break;
      case kSince:
        to.since_ns = parse_when("--since", optarg, now_ns);
        break;
      case kUntil:
        to.until_ns = parse_when("--until", optarg, now_ns);
        break;
      case kEvent:
        each_word("--event", optarg, kKindNames, [&](std::size_t i) { to.kinds.push_back(Event::Kind(i)); });
        break;
      case kOutcome:
        each_word("--outcome", optarg, kOutcomeNames,
                  [&](std::size_t i) { to.outcomes.push_back(HowItEnded(i)); });
        break;
      case 'n': {
        const Result<std::uint64_t> count = parse_count(optarg, 0, 1'000'000'000);
        if (!count.ok()) wrong("--last", std::string(count.error().message.view()));
        to.last_given = true;
        to.last = count.value();
        break;
      }
      case 'f':
        to.follow = true;
        break;
      case kJson:
        to.json = true;
        break;
      case kDir:
        to.dir = not_empty("--dir", optarg);
        break;
      case kLog:
        to.log = not_empty("--log", optarg);
        break;
      case kHost:
        to.host = not_empty("--host", optarg);
        break;
      case 'q':
        to.quiet = true;
        break;
      case 'v':
        break;
      case 'h':
        to.help = true;
        return to;
      case 'V':
        to.version = true;
        return to;
      case ':':
        wrong(argv[optind - 1], "it needs a value; see atmost history --help");
      default:
        wrong(argv[optind - 1], "no such option; see atmost history --help");
    }
  }
  for (; optind < argc; ++optind) to.locks.emplace_back(argv[optind]);
  if (to.follow && to.until_ns != INT64_MAX) wrong("--follow", "with --until there is nothing to wait for");
  constexpr std::size_t kLastWhenFollowing = 10;
  if (to.follow && !to.last_given && to.since_ns == INT64_MIN) {
    to.last_given = true;
    to.last = kLastWhenFollowing;
  }
  return to;
}

}  // namespace atmost::history
