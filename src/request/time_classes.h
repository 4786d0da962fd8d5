// Time classes: names for the moments at which something may be done. Pure; civil time comes from
// the caller.
//
//   Yr2026  January…December  Day1…Day31  Monday…Sunday  Hr00…Hr23  Min00…Min59
//   Q1…Q4          quarters of the hour: minutes 0–14, 15–29, 30–44, 45–59
//   Min00_05 … Min55_00    five minutes, the first included, the last not
//   Night 0–5, Morning 6–11, Afternoon 12–17, Evening 18–23 o'clock
#ifndef ATMOST_REQUEST_TIME_CLASSES_H
#define ATMOST_REQUEST_TIME_CLASSES_H

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/text.h"

namespace atmost::request {

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
