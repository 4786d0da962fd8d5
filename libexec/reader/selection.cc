#include "reader/selection.h"

#include "reader/exact_option.h"
#include "reader/failure.h"
#include "reader/when.h"

namespace atmost::history {
namespace {

enum Long : int { kLock = 256, kSince, kUntil, kDir, kLog, kHost };

constexpr char kSelectionHelp[] =
    "      --lock LOCK       only this lock (as LOCK; may be repeated)\n"
    "      --since WHEN      not before WHEN: a duration ago (2h, 3d), today,\n"
    "                        yesterday, mon, 08:00, 2026-01-31,\n"
    "                        2026-01-31T18:00:00Z or @SECONDS\n"
    "      --until WHEN      before WHEN\n"
    "      --dir DIR         where named locks live, and their history\n"
    "      --log FILE        read this history (and FILE.1 before it); of several\n"
    "                        hosts: repeat it\n"
    "      --host NAME       the host's name, for the lock directory and atoms\n"
    "  -q, --quiet           do not tell of lines that could not be read\n"
    "  -h, --help            show this\n"
    "  -V, --version         show the version\n";

constexpr char kLockHelp[] =
    "\nLOCK: a path (/x, ./x, a/x), operator:operand, or a name in the lock directory.\n";

// False: it is another option.
bool take_option(int letter, const char* value, std::int64_t now_ns, Selection& to) {
  switch (letter) {
    case kLock:
      to.locks.emplace_back(value);
      return true;
    case kSince:
      to.since_ns = parse_when("--since", value, now_ns);
      return true;
    case kUntil:
      to.until_ns = parse_when("--until", value, now_ns);
      return true;
    case kDir:
      to.dir = not_empty("--dir", value);
      return true;
    case kLog:
      to.logs.push_back(not_empty("--log", value));
      return true;
    case kHost:
      to.host = not_empty("--host", value);
      return true;
    case 'q':
      to.quiet = true;
      return true;
    case 'v':
      return true;
    default:
      return false;
  }
}

}  // namespace

bool read_command_line(int argc, char** argv, CommandLine line, std::int64_t now_ns, Selection& to,
                       const std::function<void(int letter, const char* value)>& take) {
  std::vector<option> all = {
      {"lock", required_argument, nullptr, kLock},   {"since", required_argument, nullptr, kSince},
      {"until", required_argument, nullptr, kUntil}, {"dir", required_argument, nullptr, kDir},
      {"log", required_argument, nullptr, kLog},     {"host", required_argument, nullptr, kHost},
      {"quiet", no_argument, nullptr, 'q'},          {"verbose", no_argument, nullptr, 'v'},
      {"help", no_argument, nullptr, 'h'},           {"version", no_argument, nullptr, 'V'},
  };
  all.insert(all.end(), line.own.begin(), line.own.end());
  all.push_back({nullptr, 0, nullptr, 0});
  const std::string letters = std::string(":qvhV") + line.letters;
  opterr = 0;
  for (int letter; (letter = next_option(argc, argv, letters.c_str(), all.data())) != -1;) {
    if (letter == 'h' || letter == 'V') {
      print(letter == 'h' ? std::string(line.usage) + kSelectionHelp + kLockHelp
                          : "atmost " ATMOST_VERSION "\n");
      return true;
    }
    if (letter == ':' || letter == '?') refuse_option(letter, argv[optind - 1], line.program);
    if (!take_option(letter, optarg, now_ns, to)) take(letter, optarg);
  }
  for (; optind < argc; ++optind) to.locks.emplace_back(argv[optind]);
  return false;
}

void wrong_option(const std::string& option, const std::string& why) {
  throw Failure(Code::usage, option + ": " + why);
}

void refuse_option(int letter, const std::string& option, const std::string& program) {
  wrong_option(option, (letter == ':' ? "it needs a value; see " : "no such option; see ") +
                           program + " --help");
}

std::string not_empty(const std::string& option, const char* value) {
  if (*value == '\0') wrong_option(option, "it has no name");
  return value;
}

}  // namespace atmost::history
