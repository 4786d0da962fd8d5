#include "reader/selection.h"

#include <iterator>
#include <utility>

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

// Returns false for any other option.
bool take_option(int letter, const char* value, std::int64_t now_ns, Selection& to) {
  switch (letter) {
    case kLock:
      to.locks.emplace_back(value);
      return true;
    case kSince:
      to.since_ns = parse_when("--since", value, now_ns);
      if (to.since_ns > now_ns)
        wrong_option("--since", "\"" + std::string(value) + "\" is in the future");
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

bool read_command_line(int argc, char** argv, CommandLine line, std::vector<std::string>& operands,
                       const std::function<void(int letter, const char* value)>& take) {
  line.own.push_back({"help", no_argument, nullptr, 'h'});
  line.own.push_back({"version", no_argument, nullptr, 'V'});
  line.own.push_back({nullptr, 0, nullptr, 0});
  line.letters = ":hV" + line.letters;
  opterr = 0;
  for (int letter;
       (letter = next_option(argc, argv, line.letters.c_str(), line.own.data())) != -1;) {
    if (letter == 'h' || letter == 'V') {
      print(letter == 'h' ? line.help : "atmost " ATMOST_VERSION "\n");
      return true;
    }
    if (letter == ':' || letter == '?') {
      wrong_option(argv[optind - 1],
                   (letter == ':' ? "it needs a value; see " : "no such option; see ") +
                       std::string(line.program) + " --help");
    }
    take(letter, optarg);
  }
  operands.insert(operands.end(), argv + optind, argv + argc);
  return false;
}

bool read_selection(int argc, char** argv, CommandLine line, std::int64_t now_ns, Selection& to,
                    const std::function<void(int letter, const char* value)>& take) {
  const option selecting[] = {
      {"lock", required_argument, nullptr, kLock},   {"since", required_argument, nullptr, kSince},
      {"until", required_argument, nullptr, kUntil}, {"dir", required_argument, nullptr, kDir},
      {"log", required_argument, nullptr, kLog},     {"host", required_argument, nullptr, kHost},
      {"quiet", no_argument, nullptr, 'q'},          {"verbose", no_argument, nullptr, 'v'},
  };
  line.help.append(kSelectionHelp).append(kLockHelp);
  line.letters += "qv";
  line.own.insert(line.own.end(), std::begin(selecting), std::end(selecting));
  return read_command_line(argc, argv, std::move(line), to.locks,
                           [&](int letter, const char* value) {
                             if (!take_option(letter, value, now_ns, to)) take(letter, value);
                           });
}

void wrong_option(const std::string& option, const std::string& why) {
  throw Failure(Code::usage, option + ": " + why);
}

std::string not_empty(const std::string& option, const char* value) {
  if (*value == '\0') wrong_option(option, "it has no name");
  return value;
}

}  // namespace atmost::history
