// Class expressions: on which hosts and when something is to be done. Pure text; the caller knows
// the classes that are set.
//
//   expression := term { "|" term }          or
//   term       := factor { ("." | "&") factor }   and; the dot and the ampersand mean the same
//   factor     := { "!" } ( NAME | "(" expression ")" )
//
// So "!" binds tightest, then "." and "&", then "|" (cfengine's precedence): a|b.!c is a|(b.(!c)).
// A NAME is one or more of [A-Za-z0-9_], and case counts. Blanks between them mean nothing.
#ifndef ATMOST_REQUEST_CLASSES_H
#define ATMOST_REQUEST_CLASSES_H

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/text.h"

namespace atmost::request {

// Says which classes are set. An unknown name is not set: it may belong to another host.
class Classes {
 public:
  virtual bool has(std::string_view name) = 0;

 protected:
  ~Classes() = default;
};

// Is called with the names of an expression, in order.
class NameVisitor {
 public:
  virtual void name(std::string_view name) = 0;

 protected:
  ~NameVisitor() = default;
};

// The error, and where: `at` counts bytes from 0 and may be the length (something is missing at
// the end).
struct ExpressionFault {
  std::size_t at = 0;
  Text<200> words;
};

// Parentheses may be nested this deep.
inline constexpr int kMaxNesting = 64;

// True when `text` is an expression; else fills in `fault`. A time class that never comes (Hr24,
// Min61, Day32) is a fault. `visitor` may be null; it gets the names before the fault.
bool check_expression(std::string_view text, ExpressionFault& fault,
                      NameVisitor* visitor = nullptr);

// REQUIRES: check_expression(text). Evaluates from left to right and asks for no class that cannot
// change the result: the right side of a decided "." or "|" is skipped.
bool evaluate(std::string_view text, Classes& classes);

// Time classes: names for the moments at which something may be done. Pure; civil time comes from
// the caller.
//
//   Yr2026  January…December  Day1…Day31  Monday…Sunday  Hr00…Hr23  Min00…Min59
//   Q1…Q4          quarters of the hour: minutes 0–14, 15–29, 30–44, 45–59
//   Min00_05 … Min55_00    five minutes, the first included, the last not
//   Night 0–5, Morning 6–11, Afternoon 12–17, Evening 18–23 o'clock

// A moment as a calendar and a clock on the wall show it.
struct CivilTime {
  int year = 1970;
  int month = 1;    // 1…12
  int day = 1;      // 1…31
  int weekday = 4;  // 0 is Sunday
  int hour = 0;
  int minute = 0;
};

enum class TimeUnit : std::uint8_t {
  none,        // no time class: the name of a host, a group …
  impossible,  // written like one, but no such time exists
  year,
  month,
  day,
  weekday,
  hour,         // Hr02
  part_of_day,  // Night
  quarter,
  minute,  // Min07, Min05_10
};

// The moments from `low` to `high` (both included) of the unit.
struct TimeClass {
  TimeUnit unit = TimeUnit::none;
  int low = 0;
  int high = 0;
};

TimeClass time_class(std::string_view name);

// False for TimeUnit::none and impossible.
bool covers(const TimeClass& one, const CivilTime& time);

// True if the class selects hours of the day: its atom is meant to run at those hours, once a day.
constexpr bool names_hours(const TimeClass& one) {
  return one.unit == TimeUnit::hour || one.unit == TimeUnit::part_of_day;
}

inline constexpr std::size_t kTimeClassCount = 9;
// Every time class that covers `time`, from the year to the minute.
void list_time_classes(const CivilTime& time, Text<15> (&names)[kTimeClassCount]);

}  // namespace atmost::request

#endif
