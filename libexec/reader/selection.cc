#include "reader/selection.h"

#include <charconv>
#include <ctime>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "core/parse.h"
#include "reader/output.h"

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

int next_option(int argc, char** argv, const char* letters, const option* all) {
  int index = -1;
  const int found = getopt_long(argc, argv, letters, all, &index);
  if (found == -1 || index < 0) return found;
  const bool apart = optarg != nullptr && optarg == argv[optind - 1];
  std::string_view typed = argv[optind - (apart ? 2 : 1)];
  typed.remove_prefix(2);
  typed = typed.substr(0, typed.find('='));
  if (typed == all[index].name) return found;
  if (apart) --optind;  // the caller names argv[optind - 1], and reads no further
  return '?';
}

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Eats text from the front.
struct Scanner {
  std::string_view left;

  bool take(char c) {
    if (left.empty() || left[0] != c) return false;
    left.remove_prefix(1);
    return true;
  }
  // Exactly so many digits, with a value in [low, high].
  bool digits(std::size_t count, int low, int high, int& to) {
    if (left.size() < count) return false;
    const auto [end, error] = std::from_chars(left.data(), left.data() + count, to);
    if (error != std::errc() || end != left.data() + count || left[0] == '-' || to < low ||
        to > high)
      return false;
    left.remove_prefix(count);
    return true;
  }
};

// ".123", at least one digit; more than nine are dropped. An empty text is right, too.
bool fraction(Scanner& scan, std::int64_t& ns) {
  ns = 0;
  if (!scan.take('.')) return true;
  std::size_t count = 0;
  for (std::int64_t weight = kSecond / 10;
       !scan.left.empty() && scan.left[0] >= '0' && scan.left[0] <= '9'; ++count) {
    ns += (scan.left[0] - '0') * weight;
    weight /= 10;
    scan.left.remove_prefix(1);
  }
  return count > 0;
}

// "", "Z" or "+hh:mm"; `local` when there is none.
bool offset(Scanner& scan, bool& local, int& seconds) {
  local = scan.left.empty();
  seconds = 0;
  if (local || scan.take('Z') || scan.take('z')) return true;
  const bool west = scan.take('-');
  if (!west && !scan.take('+')) return false;
  int hours = 0;
  int minutes = 0;
  if (!scan.digits(2, 0, 23, hours) || !scan.take(':') || !scan.digits(2, 0, 59, minutes))
    return false;
  seconds = (hours * 60 + minutes) * (west ? -60 : 60);
  return true;
}

std::optional<std::int64_t> rfc3339(std::string_view text) {
  Scanner scan{text};
  struct tm parts = {};
  std::int64_t ns = 0;
  bool local = true;
  int east = 0;
  // The years whose moments fit 64 bits of nanoseconds.
  if (!scan.digits(4, 1678, 2261, parts.tm_year) || !scan.take('-') ||
      !scan.digits(2, 1, 12, parts.tm_mon) || !scan.take('-') ||
      !scan.digits(2, 1, 31, parts.tm_mday)) {
    return {};
  }
  if (!scan.left.empty()) {
    if (!scan.take('T') && !scan.take('t') && !scan.take(' ')) return {};
    if (!scan.digits(2, 0, 23, parts.tm_hour) || !scan.take(':') ||
        !scan.digits(2, 0, 59, parts.tm_min))
      return {};
    if (scan.take(':') && (!scan.digits(2, 0, 60, parts.tm_sec) || !fraction(scan, ns))) return {};
    if (!offset(scan, local, east) || !scan.left.empty()) return {};
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  parts.tm_isdst = -1;
  const int day = parts.tm_mday;
  const std::time_t seconds = local ? std::mktime(&parts) : timegm(&parts);
  if (parts.tm_mday != day && day > 28 && parts.tm_mday < 4) return {};  // no 30th of February
  return (seconds - east) * kSecond + ns;
}

// In the order of tm_wday.
constexpr std::string_view kDays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::string_view kToday = "today";
constexpr std::string_view kYesterday = "yesterday";

std::int64_t local_ns(struct tm parts, int days_back) {
  parts.tm_mday -= days_back;
  parts.tm_isdst = -1;
  return std::mktime(&parts) * kSecond;
}

// today, yesterday, mon, 08:00: the latest such moment of local time that is not after `now_ns`.
std::optional<std::int64_t> calendar(std::string_view text, std::int64_t now_ns) {
  const std::time_t now = now_ns / kSecond;
  struct tm parts = {};
  if (localtime_r(&now, &parts) == nullptr) return {};
  parts.tm_hour = parts.tm_min = parts.tm_sec = 0;
  if (text == kToday) return local_ns(parts, 0);
  if (text == kYesterday) return local_ns(parts, 1);
  for (int day = 0; day < 7; ++day) {
    if (text == kDays[day]) return local_ns(parts, (parts.tm_wday - day + 7) % 7);
  }
  Scanner scan{text};
  if (!scan.digits(2, 0, 23, parts.tm_hour) || !scan.take(':') ||
      !scan.digits(2, 0, 59, parts.tm_min) || !scan.left.empty())
    return {};
  const std::int64_t today = local_ns(parts, 0);
  return today <= now_ns ? today : local_ns(parts, 1);
}

std::string meant_words(const std::string& text) {
  for (const std::string_view day : kDays) {
    if (text.size() > day.size() && text.starts_with(day))
      return "; did you mean " + std::string(day) + "?";
  }
  for (const std::string_view word : {kToday, kYesterday}) {
    if (is_misspelling(text, word)) return "; did you mean " + std::string(word) + "?";
  }
  return {};
}

}  // namespace

std::int64_t parse_when(const std::string& option, const std::string& text, std::int64_t now_ns) {
  if (text.starts_with('@')) {
    const Result<std::int64_t> moment = parse_epoch(std::string_view(text).substr(1));
    if (!moment.ok())
      throw Failure(Code::usage, option + ": " + std::string(moment.error().message.view()));
    return moment.value();
  }
  if (const std::optional<std::int64_t> moment = rfc3339(text)) return *moment;
  if (const std::optional<std::int64_t> moment = calendar(text, now_ns)) return *moment;
  const Result<Duration> ago = parse_duration(text);
  if (ago.ok()) return ago.value().is_forever() ? INT64_MIN : now_ns - ago.value().ns;
  throw Failure(Code::usage,
                option + ": \"" + text +
                    "\" is not a moment: use a duration ago (90m, 2d), today, yesterday, mon, "
                    "08:00, 2026-01-31, 2026-01-31T18:00:00Z, or @SECONDS since 1970" +
                    meant_words(text));
}

}  // namespace atmost::history
