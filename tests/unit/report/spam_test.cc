#include "spam.h"

#include <gtest/gtest.h>

#include "kit.h"

namespace atmost::report {
namespace {

constexpr std::int64_t kMinute = 60 * kSecond;

// Requests in one distance, of which those are admitted that may be.
std::uint64_t spam_of(std::int64_t interval, std::int64_t gap, int requests) {
  Spam spam;
  spam.set_interval(interval);
  std::uint64_t count = 0;
  std::int64_t start = 0;
  for (std::int64_t at = kBegin; requests > 0; --requests, at += gap) {
    count += spam.request(at);
    if (at - start < interval) continue;
    start = at;
    spam.start(start);
  }
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
  spam.start(kBegin - 60 * kMinute);
  for (std::int64_t hour = 0; hour < 100; ++hour) {
    const std::int64_t at = kBegin + hour * 60 * kMinute;
    EXPECT_FALSE(spam.request(at));
    spam.start(at);
    EXPECT_FALSE(spam.request(at + kMinute));
    EXPECT_FALSE(spam.request(at + 2 * kMinute));
  }
}

TEST(Spam, NeedsAnInterval) { EXPECT_EQ(spam_of(0, kSecond, 100), 0u); }

TEST(Spam, TheIntervalComesFromRefusals) {
  Script script;
  script.admitted(0, 1).ended(5, 1, 5).too_soon(60, 840).too_soon(120, 780).too_soon(180, 720);
  const LockStory& story = script.story();
  EXPECT_EQ(story.spam_rule.interval_ns(), 900 * kSecond);
  EXPECT_EQ(story.spam, 1u) << "the third refusal in a row";
}

}  // namespace
}  // namespace atmost::report
