#include <cstddef>
#include <cstdint>

#include "core/parse.h"

namespace atmost {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t ns;
};

constexpr std::int64_t kSecond = 1'000'000'000;
// From large to small; a second name of a unit is as long as the first.
constexpr Unit kUnits[] = {
    {"w", kSecond * 3600 * 24 * 7},
    {"d", kSecond * 3600 * 24},
    {"h", kSecond * 3600},
    {"min", kSecond * 60},
    {"m", kSecond * 60},
    {"s", kSecond},
    {"ms", 1'000'000},
};
constexpr std::size_t kUnitCount = sizeof kUnits / sizeof kUnits[0];
constexpr std::uint64_t kLargestExponent = 999;
constexpr std::size_t kSeconds = 5;  // the unit of a bare number

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// Reads components from the front of the text. A sum beyond the longest Duration does not end the
// parsing: malformed text behind it is the more helpful error.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }
  bool too_long() const { return too_long_; }
  std::int64_t total() const { return total_; }

  // One component: a number and its unit. False when it is not one, or not allowed after what came
  // before; only the last may have a fraction, and only a single one an exponent, or no digit
  // before the point.
  bool component() {
    const bool first = at_ == 0;
    Number number;
    if (!read_number(number)) return false;
    std::size_t unit = kSeconds;
    if (!read_unit(first, unit)) return false;
    if (kUnits[unit].ns >= shortest_so_far_) return false;
    shortest_so_far_ = kUnits[unit].ns;
    if (number.inexact() && !at_end()) return false;
    if (number.stands_alone() && !first) return false;
    add_whole(number, kUnits[unit].ns);
    add_fraction(number, kUnits[unit].ns);
    return true;
  }

 private:
  // Digits with a point behind the first `point` of them, which may lie before or behind them all.
  struct Number {
    std::string_view whole, fraction;
    std::int64_t point = 0;
    bool scaled = false;  // it has an exponent

    bool inexact() const { return !fraction.empty() || scaled; }
    bool stands_alone() const { return whole.empty() || scaled; }
    std::int64_t count() const { return static_cast<std::int64_t>(whole.size() + fraction.size()); }
    std::int64_t digit(std::int64_t at) const {
      if (at < 0 || at >= count()) return 0;
      const std::size_t i = static_cast<std::size_t>(at);
      return (i < whole.size() ? whole[i] : fraction[i - whole.size()]) - '0';
    }
  };

  // 90, 1.5, .5, 1e1: the numbers of strtod(3) and sleep(1), without a sign.
  bool read_number(Number& to) {
    to.whole = digits();
    if (!at_end() && text_[at_] == '.') {
      ++at_;
      to.fraction = digits();
      if (to.fraction.empty()) return false;
    }
    if (to.count() == 0) return false;
    to.point = static_cast<std::int64_t>(to.whole.size());
    if (at_end() || (text_[at_] != 'e' && text_[at_] != 'E')) return true;
    ++at_;
    const bool minus = !at_end() && text_[at_] == '-';
    if (minus || (!at_end() && text_[at_] == '+')) ++at_;
    const std::string_view power = digits();
    const Result<std::uint64_t> exponent = parse_count(power, 0, kLargestExponent);
    if (!exponent.ok()) return false;
    const std::int64_t shift = static_cast<std::int64_t>(exponent.value());
    to.point += minus ? -shift : shift;
    to.scaled = true;
    return true;
  }

  std::string_view digits() {
    const std::size_t start = at_;
    while (!at_end() && is_digit(text_[at_])) ++at_;
    return {text_.data() + start, at_ - start};
  }

  // A number without a unit is seconds, but only alone: the 30 in "1h30" is ambiguous.
  bool read_unit(bool first, std::size_t& unit) {
    const std::size_t start = at_;
    while (!at_end() && is_lower(text_[at_])) ++at_;
    const std::string_view name{text_.data() + start, at_ - start};
    if (name.empty()) return first && at_end();
    for (unit = 0; unit < kUnitCount; ++unit) {
      if (kUnits[unit].name == name) return true;
    }
    return false;
  }

  void add(std::int64_t ns) {
    // kForever means "inf"; it is not a length in digits.
    if (ns >= Duration::kForever - total_) {
      too_long_ = true;
    } else {
      total_ += ns;
    }
  }

  void add_whole(const Number& number, std::int64_t unit_ns) {
    const std::int64_t most = Duration::kForever / unit_ns;
    std::int64_t value = 0;
    for (std::int64_t at = 0; at < number.point; ++at) {
      const std::int64_t digit = number.digit(at);
      if (value > (most - digit) / 10) {
        too_long_ = true;
        return;
      }
      value = value * 10 + digit;
    }
    add(value * unit_ns);
  }

  // From the last digit, so that every product is small; rounds down to whole nanoseconds.
  void add_fraction(const Number& number, std::int64_t unit_ns) {
    std::int64_t tenths = 0;
    for (std::int64_t at = number.count(); at > number.point; --at)
      tenths = (tenths + number.digit(at - 1) * unit_ns) / 10;
    add(tenths);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::int64_t shortest_so_far_ = Duration::kForever;  // ns of the last unit; each is shorter
  std::int64_t total_ = 0;
  bool too_long_ = false;
};

Error not_a_rate(const Error& part) {
  Error error = part;
  error.message.append(" (K/DUR, for example 5/1m)");
  return error;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  if (text == "inf") return Duration::forever();
  Reader reader(text);
  do {
    if (!reader.component()) {
      return quoted(text, "is not a duration: use a number with ms, s, m, h, d or w, or inf");
    }
  } while (!reader.at_end());
  if (reader.too_long())
    return quoted(text, "is too long a duration: use at most 292 years, or inf");
  return Duration{reader.total()};
}

Result<Rate> parse_rate(std::string_view text) {
  const std::size_t bar = text.find('/');
  if (bar == std::string_view::npos)
    return quoted(text, "is not a rate: use K/DUR, for example 5/1m");
  const Result<std::uint64_t> count = parse_count({text.data(), bar}, 1, kMaxRate);
  if (!count.ok()) return not_a_rate(count.error());
  std::string_view rest = text;
  rest.remove_prefix(bar + 1);
  const Result<Duration> window = parse_duration(rest);
  if (!window.ok()) return not_a_rate(window.error());
  if (window.value().is_zero()) return error_of(Code::usage, 0, "use more than 0");
  if (window.value().is_forever()) {
    return quoted(text, "never ends: use a duration, or --if-elapsed inf to run once only");
  }
  return Rate{static_cast<std::uint32_t>(count.value()), window.value()};
}

}  // namespace atmost
