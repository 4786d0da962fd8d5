#include <algorithm>
#include <cstdint>

#include "core/parse.h"
#include "core/request.h"
#include "core/words.h"

namespace atmost {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Reads decimal digits only; false for anything else, for nothing, and beyond `most`.
bool read_decimal(std::string_view text, std::uint64_t most, std::uint64_t& value) {
  if (text.empty()) return false;
  value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (digit > most || value > (most - digit) / 10) return false;
    value = value * 10 + digit;
  }
  return true;
}

}  // namespace

Error quoted(std::string_view text, std::string_view rest) {
  Error error = error_of(Code::usage, 0, "\"");
  const std::size_t shown = whole_characters(text, 120);
  error.message.append({text.data(), shown})
      .append(shown < text.size() ? "...\" " : "\" ")
      .append(rest);
  return error;
}

Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t low, std::uint64_t high) {
  std::uint64_t value = 0;
  if (read_decimal(text, high, value) && value >= low) return value;
  Error error = quoted(text, "is not a whole number from ");
  error.message.append_unsigned(low).append(" to ").append_unsigned(high);
  return error;
}

namespace {

// A part of the machine, in text behind "cpus" or of its own ("25%"); 0: it is none.
std::uint64_t part_of(std::string_view text, std::uint64_t processors) {
  constexpr std::uint64_t kMostPercent = 10'000;
  std::uint64_t by = 0;
  if (text == "cpus") return processors;
  if (text.ends_with('%')) {
    text.remove_suffix(1);
    return read_decimal(text, kMostPercent, by) && by > 0
               ? std::max<std::uint64_t>(processors * by / 100, 1)
               : 0;
  }
  const bool divides = text.find("cpus/") == 0;
  if (!divides && text.find("cpus-") != 0) return 0;
  text.remove_prefix(5);
  if (!read_decimal(text, kMaxSlots, by) || by == 0) return 0;
  if (divides) return std::max<std::uint64_t>(processors / by, 1);
  return by < processors ? processors - by : 1;
}

}  // namespace

Result<std::uint32_t> parse_max(std::string_view text, std::uint32_t (*processors)()) {
  std::uint64_t value = 0;
  if (read_decimal(text, kMaxSlots, value)) return static_cast<std::uint32_t>(value);
  if (text == "inf") return kMaxSlots;
  const bool asks = processors != nullptr && (text.find("cpus") == 0 || text.ends_with('%'));
  value = asks ? part_of(text, processors()) : 0;
  if (value > 0) return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, kMaxSlots));
  Error error = quoted(text, "is not a whole number from 0 to ");
  error.message.append_unsigned(kMaxSlots).append(", nor inf, cpus, cpus/K, cpus-K or P%");
  return error;
}

Result<unsigned> parse_mode(std::string_view text) {
  unsigned mode = 0;
  bool octal = text.size() == 3 || (text.size() == 4 && text[0] == '0');
  for (char c : text) {
    octal = octal && c >= '0' && c <= '7';
    if (octal) mode = mode * 8 + static_cast<unsigned>(c - '0');
  }
  if (!octal) return quoted(text, "is not a file mode: use three octal digits, such as 600 or 660");
  if ((mode & 0600) != 0600) {
    return quoted(text,
                  "leaves the owner without read or write, and a lock needs both: use 600 or more");
  }
  return mode;
}

Result<std::uint32_t> parse_risk(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::size_t whole = point == std::string_view::npos ? text.size() : point;
  std::uint64_t thousandths = 0;
  bool right = read_decimal({text.data(), whole}, 500, thousandths);
  std::uint64_t weight = 1000;
  std::uint64_t ppm = thousandths * weight;
  if (point != std::string_view::npos)
    right = right && point + 1 < text.size() && text.size() - point <= 4;
  for (std::size_t i = whole + 1; right && i < text.size(); ++i) {
    right = text[i] >= '0' && text[i] <= '9';
    weight /= 10;
    if (right) ppm += static_cast<std::uint64_t>(text[i] - '0') * weight;
  }
  if (right && ppm >= 1 && ppm <= 500'000) return static_cast<std::uint32_t>(ppm);
  return quoted(text,
                "is not a number of runs in 1,000: use one from 0.001 to 500, such as 3 or 0.5");
}

Result<std::int64_t> parse_epoch(std::string_view text) {
  constexpr std::uint64_t kMostSeconds = static_cast<std::uint64_t>(INT64_MAX / kSecond) - 1;
  const std::size_t point = text.find('.');
  const std::size_t whole = point == std::string_view::npos ? text.size() : point;
  std::uint64_t seconds = 0;
  bool right = read_decimal({text.data(), whole}, kMostSeconds, seconds);
  std::int64_t ns = 0;
  if (point != std::string_view::npos) {
    std::int64_t weight = kSecond;
    right = right && point + 1 < text.size();
    for (std::size_t i = point + 1; right && i < text.size(); ++i) {
      right = text[i] >= '0' && text[i] <= '9';
      weight /= 10;
      if (right) ns += (text[i] - '0') * weight;
    }
  }
  const bool digits =
      whole > 0 && std::string_view(text.data(), whole).find_first_not_of("0123456789") ==
                       std::string_view::npos;
  if (!right && digits && !read_decimal({text.data(), whole}, kMostSeconds, seconds)) {
    return quoted(text,
                  "is later than the year 2261, where atmost's time ends: use seconds "
                  "since 1970, such as 1700000000");
  }
  if (!right)
    return quoted(text,
                  "is not a time: use seconds since 1970, such as 1700000000 or 1700000000.5");
  return static_cast<std::int64_t>(seconds) * kSecond + ns;
}

Result<std::int64_t> parse_output_size(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  std::string_view digits = text;
  const std::size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
  const unsigned shift = unit == kUnits.npos ? 0 : 10 * (static_cast<unsigned>(unit) + 1);
  if (shift > 0) digits.remove_suffix(1);
  const Result<std::uint64_t> number = parse_count(digits, 0, std::uint64_t{INT64_MAX} >> shift);
  if (!number.ok()) return quoted(text, "is not a size, such as 512K, 16M or 1G");
  const std::int64_t size = static_cast<std::int64_t>(number.value() << shift);
  if (size < kLeastOutput) return error_of(Code::usage, 0, "use at least 64K");
  return size;
}

Status parse_ping(std::string_view text, Text<2047>& to) {
  to.clear();
  const bool url = text.starts_with("https://") || text.starts_with("http://");
  bool clean = text.size() <= 2047;
  for (const char c : text) clean = clean && (!url || (c > ' ' && c < '\x7F'));
  if ((!url && (!text.starts_with('@') || text.size() < 2)) || !clean) {
    return error_of(Code::usage, 0,
                    "is not a URL of http or https, nor @ and the name of a file that holds one");
  }
  to.append(text);
  return {};
}

Status check_notify(std::string_view command) {
  constexpr std::size_t kMost = 100'000;  // the kernel takes 128 KiB for one text
  if (command.empty()) return error_of(Code::usage, 0, "is empty: give a command");
  if (command.size() > kMost) return error_of(Code::usage, 0, "is too long: put it into a script");
  return {};
}

}  // namespace atmost
