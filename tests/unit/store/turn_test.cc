// The rule of turns, with the time passed in.
#include "core/turn.h"

#include <gtest/gtest.h>

namespace atmost {
namespace {

using Standing = Turns::Standing;

constexpr std::int64_t kNow = 1'000'000'000'000;
constexpr std::int64_t kMs = 1'000'000;

TEST(Turns, TheFirstOnesBeginsWhenItIsSeen) {
  Turns turns(kNow, 0);
  EXPECT_FALSE(turns.overtaken(0));
  EXPECT_EQ(turns.next(0), Standing::begins);
  EXPECT_EQ(turns.ends(), kNow + 1000 * kMs);
}

TEST(Turns, ItLastsASecond) {
  const std::int64_t began = kNow - 999 * kMs;
  Turns before(kNow, 0);
  EXPECT_FALSE(before.overtaken(began));
  EXPECT_EQ(before.next(began), Standing::running);
  EXPECT_EQ(before.ends(), kNow + kMs);
  EXPECT_TRUE(Turns(kNow + kMs, 0).overtaken(began));
}

TEST(Turns, OneInTheFutureIsNone) {
  Turns turns(kNow, 0);
  EXPECT_FALSE(turns.overtaken(kNow + 1));
  EXPECT_EQ(turns.next(kNow + 1), Standing::begins);
}

TEST(Turns, TheNextOnesFollowATenthOfASecondLater) {
  const std::int64_t began = kNow - 1000 * kMs;
  for (const int late : {0, 99, 100, 199, 200}) {
    Turns turns(kNow + late * kMs, began - 1);
    ASSERT_TRUE(turns.overtaken(began));
    EXPECT_EQ(turns.next(0), late < 100 ? Standing::running : Standing::passed) << late;
    if (late < 100) {
      EXPECT_EQ(turns.ends(), kNow + 100 * kMs);
      continue;
    }
    EXPECT_EQ(turns.next(0), late < 200 ? Standing::running : Standing::passed) << late;
  }
}

// It sleeps and was not called: instead of having passed, its turn lasts until it may have come.
TEST(Turns, OneThatIsCalledLateLastsATenthOfASecond) {
  const std::int64_t began = kNow - 1200 * kMs;
  Turns turns(kNow, 0);
  ASSERT_TRUE(turns.overtaken(began));
  ASSERT_EQ(turns.next(0), Standing::passed);
  EXPECT_EQ(turns.call(), Standing::begins);
  EXPECT_EQ(turns.ends(), kNow + 100 * kMs);
  EXPECT_EQ(turns.began(), kNow - 900 * kMs);
}

TEST(Turns, HoweverManyTheyTakeTwoSeconds) {
  const std::int64_t began = kNow - 2000 * kMs;
  Turns turns(kNow, began);
  ASSERT_TRUE(turns.overtaken(began));
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(turns.next(0), Standing::passed) << i;
}

// An overtaken waiter stays overtaken, but a slot that was used since is a new turn for those
// behind it.
TEST(Turns, AfterAnAdmissionTheNextHasAWholeTurn) {
  const std::int64_t began = kNow - 1500 * kMs;
  Turns turns(kNow, began + 1);
  EXPECT_TRUE(turns.overtaken(began));
  EXPECT_EQ(turns.next(0), Standing::begins);
}

TEST(Turns, LongAgoIsNotJustNow) {
  const std::int64_t began = kNow - 60'000 * kMs;
  Turns turns(kNow, 0);
  EXPECT_TRUE(turns.overtaken(began));
  EXPECT_EQ(turns.next(0), Standing::begins);
}

TEST(Turns, AForgedOneMakesNoOverflow) {
  Turns turns(kNow, 0);
  EXPECT_FALSE(turns.overtaken(INT64_MAX));
  EXPECT_FALSE(turns.overtaken(INT64_MIN));
  EXPECT_TRUE(turns.overtaken(1));
  EXPECT_EQ(turns.next(INT64_MAX), Standing::begins);
}

}  // namespace
}  // namespace atmost
