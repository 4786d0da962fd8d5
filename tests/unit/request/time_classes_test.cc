#include "request/classes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace atmost::request {
namespace {

// Saturday, the 21st of November 2026, 07:38.
constexpr CivilTime kTime = {2026, 11, 21, 6, 7, 38};

TEST(TimeClasses, CoverTheirMoments) {
  struct {
    const char* name;
    bool covered;
  } const kTable[] = {
      {"Yr2026", true},     {"Yr2025", false},  {"November", true}, {"December", false},
      {"Day21", true},      {"Day2", false},    {"Saturday", true}, {"Sunday", false},
      {"Hr07", true},       {"Hr08", false},    {"Morning", true},  {"Night", false},
      {"Afternoon", false}, {"Evening", false}, {"Q3", true},       {"Q2", false},
      {"Min38", true},      {"Min37", false},   {"Min35_40", true}, {"Min40_45", false},
      {"Min30_35", false},  {"web1", false},
  };
  for (const auto& row : kTable)
    EXPECT_EQ(covers(time_class(row.name), kTime), row.covered) << row.name;
}

TEST(TimeClasses, KnowTheirEdges) {
  CivilTime time = kTime;
  struct {
    int hour;
    const char* part;
  } const kParts[] = {{0, "Night"},      {5, "Night"},      {6, "Morning"},  {11, "Morning"},
                      {12, "Afternoon"}, {17, "Afternoon"}, {18, "Evening"}, {23, "Evening"}};
  for (const auto& row : kParts) {
    time.hour = row.hour;
    EXPECT_TRUE(covers(time_class(row.part), time)) << row.hour;
  }
  struct {
    int minute;
    const char* name;
    bool covered;
  } const kMinutes[] = {{0, "Q1", true},        {14, "Q1", true},       {15, "Q1", false},
                        {15, "Q2", true},       {45, "Q4", true},       {59, "Q4", true},
                        {0, "Min00_05", true},  {4, "Min00_05", true},  {5, "Min00_05", false},
                        {55, "Min55_00", true}, {59, "Min55_00", true}, {0, "Min55_00", false}};
  for (const auto& row : kMinutes) {
    time.minute = row.minute;
    EXPECT_EQ(covers(time_class(row.name), time), row.covered) << row.minute << " " << row.name;
  }
}

TEST(TimeClasses, TellNamesFromImpossibleTimes) {
  struct {
    TimeUnit unit;
    std::vector<std::string> names;
  } const kTable[] = {
      {TimeUnit::none,
       {"", "any", "monday", "Hr", "Hrs", "Q", "Q1_backup", "Min", "Minor", "Day", "Days",
        "Daytime", "Yr", "Hr2x", "web1"}},
      {TimeUnit::impossible,
       {"Hr2",      "Hr24",   "Hr024",   "Min60",    "Min7", "Min00_06", "Min03_08",
        "Min55_60", "Min00_", "Min0_05", "Min60_05", "Day0", "Day01",    "Day32",
        "Day100",   "Yr26",   "Yr1969",  "Yr20266",  "Q0",   "Q5",       "Q12"}},
      {TimeUnit::hour, {"Hr00", "Hr23"}},
      {TimeUnit::minute, {"Min00", "Min59", "Min00_05", "Min55_00"}},
      {TimeUnit::day, {"Day1", "Day31"}},
      {TimeUnit::weekday, {"Sunday", "Saturday"}},
      {TimeUnit::month, {"January", "May", "December"}},
      {TimeUnit::year, {"Yr1970", "Yr9999"}},
      {TimeUnit::quarter, {"Q1", "Q4"}},
      {TimeUnit::part_of_day, {"Night", "Evening"}},
  };
  for (const auto& row : kTable) {
    for (const auto& name : row.names) EXPECT_EQ(time_class(name).unit, row.unit) << name;
  }
}

TEST(TimeClasses, ListsAreTheClassesThatCover) {
  CivilTime time = kTime;
  for (time.hour = 0; time.hour < 24; ++time.hour) {
    for (time.minute = 0; time.minute < 60; ++time.minute) {
      Text<15> names[kTimeClassCount];
      list_time_classes(time, names);
      for (const auto& name : names) {
        EXPECT_FALSE(name.truncated());
        ASSERT_TRUE(covers(time_class(name), time))
            << name.view() << " at " << time.hour << ":" << time.minute;
      }
    }
  }
}

}  // namespace
}  // namespace atmost::request
