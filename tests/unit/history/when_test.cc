#include "reader/selection.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "reader/output.h"

namespace atmost::history {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class When : public testing::Test {
 protected:
  void SetUp() override { zone("CET-1CEST,M3.5.0,M10.5.0/3"); }
  static void zone(const char* name) {
    setenv("TZ", name, 1);
    tzset();
  }
  // Of the zone: "2026-11-26 18:30:00".
  static std::int64_t at(const std::string& words) { return parse_when("--since", words, 0); }
};

TEST_F(When, DaysBeginAtTheirMidnight) {
  const std::int64_t now = at("2026-11-26 18:30:00");  // a Thursday
  EXPECT_EQ(parse_when("--since", "today", now), at("2026-11-26"));
  EXPECT_EQ(parse_when("--since", "yesterday", now), at("2026-11-25"));
  EXPECT_EQ(parse_when("--since", "thu", now), at("2026-11-26"));
  EXPECT_EQ(parse_when("--since", "wed", now), at("2026-11-25"));
  EXPECT_EQ(parse_when("--since", "mon", now), at("2026-11-23"));
  EXPECT_EQ(parse_when("--since", "fri", now), at("2026-11-20"));
}

TEST_F(When, ATimeOfDayIsTheLatestOne) {
  const std::int64_t now = at("2026-11-26 18:30:00");
  EXPECT_EQ(parse_when("--since", "08:00", now), at("2026-11-26 08:00:00"));
  EXPECT_EQ(parse_when("--since", "18:30", now), now);
  EXPECT_EQ(parse_when("--since", "18:31", now), at("2026-11-25 18:31:00"));
}

TEST_F(When, ADayOfTwentyFiveHoursIsOneDay) {
  const std::int64_t now = at("2026-10-25 12:00:00");  // summer time ended at 3 o'clock
  EXPECT_EQ(parse_when("--since", "today", now), now - std::int64_t{13} * 3600 * kSecond);
  EXPECT_EQ(parse_when("--since", "yesterday", now), now - std::int64_t{37} * 3600 * kSecond);
  EXPECT_EQ(parse_when("--since", "23:00", now), now - std::int64_t{14} * 3600 * kSecond);
}

TEST_F(When, OtherWordsAreRefusedInOneLine) {
  for (const char* wrong :
       {"", "Mon", "tomorrow", "8:00", "08:60", "24:00", "08:00x", "todayy", "monday", "-1h"}) {
    try {
      parse_when("--since", wrong, 0);
      ADD_FAILURE() << wrong;
    } catch (const Failure& failure) {
      const std::string words = failure.what();
      EXPECT_EQ(failure.code, Code::usage);
      EXPECT_EQ(words.find("--since: \"" + std::string(wrong) + "\" is not a moment: use "), 0u)
          << words;
      EXPECT_EQ(words.find('\n'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace atmost::history
