#include "ledger.h"

#include <gtest/gtest.h>

#include "kit.h"

namespace atmost::report {
namespace {

constexpr std::int64_t kMinute = 60 * kSecond;

std::uint64_t spam_of(std::int64_t interval, std::int64_t gap, int requests) {
  Spam spam;
  spam.set_interval(interval);
  std::uint64_t count = 0;
  for (int i = 0; i < requests; ++i) count += spam.request(kBegin + i * gap);
  return count;
}

TEST(Spam, IsWhatKeepsArrivingAtOrBelowTheInterval) {
  EXPECT_EQ(spam_of(15 * kMinute, kMinute, 12), 10u);
  EXPECT_EQ(spam_of(15 * kMinute, 15 * kMinute, 12), 10u) << "at the interval";
  EXPECT_EQ(spam_of(15 * kMinute, 15 * kMinute + 5 * kSecond, 12), 10u) << "cron's jitter";
}

TEST(Spam, IsNoSchedule) {
  EXPECT_EQ(spam_of(15 * kMinute, 60 * kMinute, 1000), 0u);
  EXPECT_EQ(spam_of(15 * kMinute, 16 * kMinute, 1000), 0u);
}

TEST(Spam, IsNoOddRetry) {
  Spam spam;
  spam.set_interval(15 * kMinute);
  for (std::int64_t hour = 0; hour < 100; ++hour) {
    EXPECT_FALSE(spam.request(kBegin + hour * 60 * kMinute));
    EXPECT_FALSE(spam.request(kBegin + hour * 60 * kMinute + kMinute));
  }
}

TEST(Spam, NeedsAnInterval) { EXPECT_EQ(spam_of(0, kSecond, 100), 0u); }

TEST(Spam, TheIntervalComesFromRefusals) {
  Script script;
  script.admitted(0, 1).ended(5, 1, 5).too_soon(60, 840).too_soon(120, 780).too_soon(180, 720);
  const LockStory& story = script.story();
  EXPECT_EQ(story.spam_rule.interval_ns(), 900 * kSecond);
  EXPECT_EQ(story.spam, 2u) << "the third request in a row, and the fourth";
}

}  // namespace
}  // namespace atmost::report
