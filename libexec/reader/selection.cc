#include "reader/selection.h"

#include "reader/failure.h"
#include "reader/when.h"

namespace atmost::history {
namespace {

enum Long : int { kLock = 256, kSince, kUntil, kDir, kLog, kHost };

}  // namespace

const char kSelectionHelp[] =
    "      --lock LOCK       only this lock (as LOCK; may be repeated)\n"
    "      --since WHEN      not before WHEN: a duration ago (2h, 3d), or 2026-01-31, "
    "2026-01-31T18:00:00Z, "
    "@SECONDS\n"
    "      --until WHEN      before WHEN\n"
    "      --dir DIR         where named locks live, and their history\n"
    "      --log FILE        read this history (and FILE.1 before it); of several hosts: repeat "
    "it\n"
    "      --host NAME       the host's name, for the lock directory and atoms\n"
    "  -q, --quiet           do not tell of lines that could not be read\n"
    "  -h, --help            show this\n"
    "  -V, --version         show the version\n";

const char kLockHelp[] =
    "\nLOCK: a path (/x, ./x, a/x), operator:operand, or a name in the lock directory.\n";

std::vector<option> options_with(std::initializer_list<option> own) {
  std::vector<option> all = {
      {"lock", required_argument, nullptr, kLock},   {"since", required_argument, nullptr, kSince},
      {"until", required_argument, nullptr, kUntil}, {"dir", required_argument, nullptr, kDir},
      {"log", required_argument, nullptr, kLog},     {"host", required_argument, nullptr, kHost},
      {"quiet", no_argument, nullptr, 'q'},          {"verbose", no_argument, nullptr, 'v'},
      {"help", no_argument, nullptr, 'h'},           {"version", no_argument, nullptr, 'V'},
  };
  all.insert(all.end(), own);
  all.push_back({nullptr, 0, nullptr, 0});
  return all;
}

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
