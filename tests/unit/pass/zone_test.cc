#include "zone.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

namespace atmost::pass {
namespace {

// Rules written out, so that no database is needed: central Europe, and Lord Howe Island with its
// half hour.
const Zone kEurope("CET-1CEST,M3.5.0,M10.5.0/3");
const Zone kLordHowe("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0");

constexpr std::int64_t kForward = 1774746000;  // 2026-03-29 01:00 UTC: 02:00 becomes 03:00
constexpr std::int64_t kBack = 1792890000;     // 2026-10-25 01:00 UTC: 03:00 becomes 02:00

std::string clock_of(const request::CivilTime& time) {
  return std::to_string(time.hour) + ":" + std::to_string(time.minute);
}

TEST(Zone, TellsCivilTime) {
  const request::CivilTime time = kEurope.civil(1795246680).time;  // 2026-11-21 07:38 UTC
  EXPECT_EQ(time.year, 2026);
  EXPECT_EQ(time.month, 11);
  EXPECT_EQ(time.day, 21);
  EXPECT_EQ(time.weekday, 6);
  EXPECT_EQ(time.hour, 8);
  EXPECT_EQ(time.minute, 38);
}

TEST(Zone, FindsTheLastChangeToTheSecond) {
  struct {
    const Zone& zone;
    std::int64_t at;
    std::int64_t change;
    std::int64_t forward;
  } const kTable[] = {
      {kEurope, kForward, kForward, 3600},
      {kEurope, kForward + 1, kForward, 3600},
      {kEurope, kForward + 86'400, kForward, 3600},
      {kEurope, kBack + 3599, kBack, -3600},
      {kLordHowe, 1791041400 + 60, 1791041400, 1800},
  };
  for (const auto& row : kTable) {
    const auto change = row.zone.last_change(row.at);
    ASSERT_TRUE(change) << row.at;
    EXPECT_EQ(change->at, row.change);
    EXPECT_EQ(change->new_offset - change->old_offset, row.forward);
  }
  EXPECT_FALSE(kEurope.last_change(kForward - 1));
  EXPECT_FALSE(kEurope.last_change(kForward + 26 * 3600));
}

TEST(Zone, GivesASkippedHourItsTimeAfterwards) {
  EXPECT_FALSE(look_at(kEurope, kForward - 1).skipped);
  const Moment first = look_at(kEurope, kForward);
  EXPECT_EQ(clock_of(first.time), "3:0");
  ASSERT_TRUE(first.skipped);
  EXPECT_EQ(clock_of(*first.skipped), "2:0");
  EXPECT_EQ(clock_of(*look_at(kEurope, kForward + 3599).skipped), "2:59");
  EXPECT_FALSE(look_at(kEurope, kForward + 3600).skipped);
  EXPECT_FALSE(look_at(kEurope, kForward).first_time);
}

TEST(Zone, KnowsWhenARepeatedHourWasFirst) {
  EXPECT_FALSE(look_at(kEurope, kBack - 1).first_time);
  for (const std::int64_t at : {kBack, kBack + 3599}) {
    const Moment second = look_at(kEurope, at);
    ASSERT_TRUE(second.first_time);
    EXPECT_EQ(second.first_time->begin, kBack - 3600);
    EXPECT_EQ(second.first_time->end, kBack);
    EXPECT_EQ(second.time.hour, 2);
    EXPECT_FALSE(second.skipped);
  }
  EXPECT_FALSE(look_at(kEurope, kBack + 3600).first_time);
}

TEST(Zone, LeavesTheEnvironmentAsItWas) {
  setenv("TZ", "UTC0", 1);
  kEurope.civil(0);
  EXPECT_STREQ(getenv("TZ"), "UTC0");
  unsetenv("TZ");
  kEurope.last_change(kForward);
  EXPECT_EQ(getenv("TZ"), nullptr);
}

TEST(Zone, HasNoMadeUpNames) {
  EXPECT_TRUE(Zone::named("UTC"));
  for (const char* name :
       {"", "Europe/Nowhere", "/etc/passwd", "../zoneinfo/UTC", ":UTC", "Europe", "CET-1"}) {
    EXPECT_FALSE(Zone::named(name)) << name;
  }
}

}  // namespace
}  // namespace atmost::pass
