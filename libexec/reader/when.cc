#include "reader/when.h"

#include <charconv>
#include <ctime>
#include <optional>
#include <string_view>

#include "core/parse.h"
#include "reader/failure.h"

namespace atmost::history {
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
