#include "classes.h"

namespace atmost::request {
namespace {

bool is_name_char(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// Parses and evaluates in one pass. Where `live` is false, the value no longer matters, and no
// class is asked for.
class Parser {
 public:
  Parser(std::string_view text, Classes* classes, NameVisitor* visitor, ExpressionFault& fault)
      : text_(text), classes_(classes), visitor_(visitor), fault_(fault) {}

  bool run(bool& value) {
    value = either(true);
    if (ok_ && peek() != '\0')
      fail(at_, peek() == ')' ? "this ) closes nothing" : "expected . & or | here");
    return ok_;
  }

 private:
  bool either(bool live) {
    bool value = both(live);
    while (ok_ && accept('|')) {
      const bool right = both(live && !value);
      value = value || right;
    }
    return value;
  }

  bool both(bool live) {
    bool value = factor(live);
    while (ok_ && (accept('.') || accept('&'))) {
      const bool right = factor(live && value);
      value = value && right;
    }
    return value;
  }

  bool factor(bool live) {
    bool negated = false;
    while (accept('!')) negated = !negated;
    const bool value = peek() == '(' ? nested(live) : named(live);
    return value != negated;
  }

  bool nested(bool live) {
    const std::size_t open = at_;
    if (++depth_ > kMaxNesting) return fail(open, "parentheses are nested more than 64 deep");
    accept('(');
    const bool value = either(live);
    if (ok_ && !accept(')'))
      return fail(at_, peek() == '\0' ? "a ) is missing" : "expected . & | or ) here");
    --depth_;
    return value;
  }

  bool named(bool live) {
    peek();  // behind the blanks
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    const std::string_view name{text_.data() + start, at_ - start};
    if (name.empty()) return fail(start, no_name(start));
    if (time_class(name).unit == TimeUnit::impossible) {
      return fail(start, "looks like a time class, but there is no such time");
    }
    if (visitor_ != nullptr) visitor_->name(name);
    return live && classes_ != nullptr && classes_->has(name);
  }

  std::string_view no_name(std::size_t at) const {
    if (at == text_.size()) return "a class name is missing";
    const char c = text_[at];
    if (c == '|' || c == '&' || c == '.')
      return "expected a class name here: operators are single characters";
    if (c == ')') return "expected a class name before this )";
    return "expected a class name here: use letters, digits and _";
  }

  // The next character that is not a blank; NUL at the end, and for a NUL in the text, which is
  // then not a name.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
    return at_ < text_.size() && text_[at_] != '\0' ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (!ok_ || peek() != c) return false;
    ++at_;
    return true;
  }

  bool fail(std::size_t at, std::string_view words) {
    if (!ok_) return false;
    ok_ = false;
    fault_.at = at;
    fault_.words = words;
    return false;
  }

  std::string_view text_;
  Classes* classes_;
  NameVisitor* visitor_;
  ExpressionFault& fault_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool ok_ = true;
};

}  // namespace

bool check_expression(std::string_view text, ExpressionFault& fault, NameVisitor* visitor) {
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {
    fault.at = nul;
    fault.words = std::string_view("holds a NUL byte");
    return false;
  }
  bool value = false;
  return Parser(text, nullptr, visitor, fault).run(value);
}

bool evaluate(std::string_view text, Classes& classes) {
  ExpressionFault fault;
  bool value = false;
  return Parser(text, &classes, nullptr, fault).run(value) && value;
}

namespace {

constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
constexpr std::string_view kWeekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                          "Thursday", "Friday", "Saturday"};
constexpr std::string_view kParts[] = {"Night", "Morning", "Afternoon", "Evening"};
constexpr int kPartHours = 6;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr TimeClass kImpossible = {TimeUnit::impossible, 0, 0};

// Numbers of exactly `digits` digits; -1 for anything else.
int read_number(std::string_view text, std::size_t digits) {
  if (text.size() != digits) return -1;
  int value = 0;
  for (char c : text) {
    if (!is_digit(c)) return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

TimeClass within(TimeUnit unit, int value, int low, int high) {
  return value >= low && value <= high ? TimeClass{unit, value, value} : kImpossible;
}

template <std::size_t N>
int index_of(const std::string_view (&words)[N], std::string_view word) {
  for (std::size_t i = 0; i < N; ++i) {
    if (words[i] == word) return static_cast<int>(i);
  }
  return -1;
}

// Behind "Min": 07, or 05_10.
TimeClass minutes(std::string_view rest) {
  if (rest.size() != 5) return within(TimeUnit::minute, read_number(rest, 2), 0, 59);
  const int low = read_number({rest.data(), 2}, 2);
  const int high = read_number({rest.data() + 3, 2}, 2);
  const bool fits = low >= 0 && low < 60 && low % 5 == 0 && high == (low + 5) % 60;
  if (rest[2] != '_' || !fits) return kImpossible;
  return {TimeUnit::minute, low, low + 4};
}

TimeClass numbered(std::string_view name) {
  struct Prefix {
    std::string_view word;
    TimeUnit unit;
  };
  constexpr Prefix kPrefixes[] = {{"Hr", TimeUnit::hour},
                                  {"Min", TimeUnit::minute},
                                  {"Day", TimeUnit::day},
                                  {"Yr", TimeUnit::year},
                                  {"Q", TimeUnit::quarter}};
  for (const Prefix& prefix : kPrefixes) {
    const std::size_t length = prefix.word.size();
    if (!name.starts_with(prefix.word) || name.size() == length || !is_digit(name[length]))
      continue;
    const std::string_view rest{name.data() + length, name.size() - length};
    // Not a fault: a host may be called Q1_backup.
    bool only_numbers = true;
    for (char c : rest) only_numbers = only_numbers && (is_digit(c) || c == '_');
    if (!only_numbers) return {};
    switch (prefix.unit) {
      case TimeUnit::hour:
        return within(prefix.unit, read_number(rest, 2), 0, 23);
      case TimeUnit::minute:
        return minutes(rest);
      case TimeUnit::day:
        return rest[0] == '0'
                   ? kImpossible
                   : within(prefix.unit, read_number(rest, rest.size() == 1 ? 1 : 2), 1, 31);
      case TimeUnit::year:
        return within(prefix.unit, read_number(rest, 4), 1970, 9999);
      default:
        return within(prefix.unit, read_number(rest, 1), 1, 4);
    }
  }
  return {};
}

template <std::size_t N>
void append_two(Text<N>& to, int value) {
  to.push(static_cast<char>('0' + value / 10)).push(static_cast<char>('0' + value % 10));
}

}  // namespace

TimeClass time_class(std::string_view name) {
  if (const int month = index_of(kMonths, name); month >= 0)
    return {TimeUnit::month, month + 1, month + 1};
  if (const int weekday = index_of(kWeekdays, name); weekday >= 0)
    return {TimeUnit::weekday, weekday, weekday};
  if (const int part = index_of(kParts, name); part >= 0) {
    return {TimeUnit::part_of_day, part * kPartHours, part * kPartHours + kPartHours - 1};
  }
  return numbered(name);
}

bool covers(const TimeClass& one, const CivilTime& time) {
  int value = 0;
  switch (one.unit) {
    case TimeUnit::none:
    case TimeUnit::impossible:
      return false;
    case TimeUnit::year:
      value = time.year;
      break;
    case TimeUnit::month:
      value = time.month;
      break;
    case TimeUnit::day:
      value = time.day;
      break;
    case TimeUnit::weekday:
      value = time.weekday;
      break;
    case TimeUnit::hour:
    case TimeUnit::part_of_day:
      value = time.hour;
      break;
    case TimeUnit::quarter:
      value = time.minute / 15 + 1;
      break;
    case TimeUnit::minute:
      value = time.minute;
      break;
  }
  return value >= one.low && value <= one.high;
}

void list_time_classes(const CivilTime& time, Text<15> (&names)[kTimeClassCount]) {
  names[0] = std::string_view("Yr");
  names[0].append_unsigned(static_cast<std::uint64_t>(time.year));
  names[1] = kMonths[time.month - 1];
  names[2] = std::string_view("Day");
  names[2].append_unsigned(static_cast<std::uint64_t>(time.day));
  names[3] = kWeekdays[time.weekday];
  names[4] = kParts[time.hour / kPartHours];
  names[5] = std::string_view("Hr");
  append_two(names[5], time.hour);
  names[6] = std::string_view("Q");
  names[6].append_signed(time.minute / 15 + 1);
  const int five = time.minute - time.minute % 5;
  names[7] = std::string_view("Min");
  append_two(names[7], five);
  names[7].push('_');
  append_two(names[7], (five + 5) % 60);
  names[8] = std::string_view("Min");
  append_two(names[8], time.minute);
}

}  // namespace atmost::request
