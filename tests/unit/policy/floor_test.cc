// The floor below which a run is suspiciously short.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "policy/learn.h"
#include "policy/limits.h"

namespace atmost::policy {
namespace {

class Floor : public ::testing::Test {
 protected:
  Duration floor() const { return run_limit(lock_stats, directory_stats, bounds).floor; }
  bool run(double s, bool failed = false) {
    RunSample sample;
    sample.ran = {static_cast<std::int64_t>(s * 1e9)};
    sample.failed = failed;
    return remember(lock_stats, directory_stats, sample);
  }
  void runs(int count, double s) {
    for (int i = 0; i < count; ++i) EXPECT_FALSE(run(s * (1 + 0.02 * (i % 5)))) << i;
  }

  LockStats lock_stats{};
  DirectoryStats directory_stats{};
  LearnedBounds bounds;
};

TEST_F(Floor, NeedsRunsAndStaysBelowHalfOfTheMedian) {
  for (std::uint32_t i = 0; i < kOwnRuns; ++i) {
    EXPECT_TRUE(floor().is_zero()) << i;
    EXPECT_FALSE(run(60));
  }
  runs(40, 60);
  EXPECT_GT(floor(), Duration::seconds(1));
  runs(400, 60);
  EXPECT_GT(floor(), Duration::seconds(10));
  EXPECT_LT(floor(), Duration::seconds(30));
}

TEST_F(Floor, StaysUntilFiveShortRunsInARow) {
  runs(40, 60);
  const Duration before = floor();
  for (std::uint32_t i = 0; i < kShortRuns; ++i) {
    EXPECT_GE(floor(), before) << i;
    EXPECT_TRUE(run(0.5)) << i;
  }
  EXPECT_FALSE(run(0.5));
  EXPECT_LT(floor(), Duration::millis(500));
}

TEST_F(Floor, OrdinaryRunsInBetweenMakeItAFewMore) {
  runs(40, 60);
  int noted = 0;
  for (int i = 0; i < 20; ++i) {
    noted += run(0.5) ? 1 : 0;
    EXPECT_FALSE(run(60));
  }
  EXPECT_GE(noted, 5);
  EXPECT_LT(noted, 9);
}

TEST_F(Floor, AShortRunLongAgoIsForgotten) {
  runs(40, 60);
  EXPECT_TRUE(run(0.5));
  runs(40, 60);
  EXPECT_EQ(lock_stats.floor, 0u);
  EXPECT_EQ(lock_stats.quicker, 0u);
}

TEST_F(Floor, FailuresAreNotNotedAndProveNothing) {
  runs(40, 60);
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(run(0.5, true)) << i;
  EXPECT_TRUE(run(0.5));
}

TEST_F(Floor, OtherLocksDoNotMatter) {
  LockStats other{};
  for (int i = 0; i < 1000; ++i) {
    RunSample quick;
    quick.ran = Duration::millis(5);
    remember(other, directory_stats, quick);
  }
  runs(40, 60);
  EXPECT_GT(floor(), Duration::seconds(1));
}

TEST_F(Floor, RunsThatDifferMuchHaveNone) {
  std::mt19937 chance(7);
  std::lognormal_distribution<double> length(0, 2.5);
  int noted = 0;
  for (int i = 0; i < 2000; ++i) noted += run(length(chance)) ? 1 : 0;
  EXPECT_LE(noted, 10);  // of 1,000 five
  EXPECT_LT(floor(), Duration::millis(50));
}

TEST_F(Floor, ProcessesThatOnlyStartAreNeverTooFast) {
  runs(100, 0.015);
  EXPECT_TRUE(floor().is_zero());
}

// If work often becomes less, each time would be noted again.
TEST_F(Floor, IsPutAtALowerRiskWhereMoreIsNotedThanAsked) {
  EXPECT_EQ(note_risk(directory_stats, 5000), 5000u);
  directory_stats.noted = 30;
  EXPECT_EQ(note_risk(directory_stats, 5000), 1250u);
  directory_stats.noted = 1e5f;
  EXPECT_EQ(note_risk(directory_stats, 5000), 250u);
  directory_stats = {};
  runs(40, 60);
  EXPECT_EQ(directory_stats.noted, 0);
  EXPECT_TRUE(run(0.5));
  EXPECT_EQ(directory_stats.noted, 1);
}

TEST_F(Floor, SpoiltValuesAreNotBelieved) {
  lock_stats.floor = kSteps;
  EXPECT_FALSE(is_plausible(lock_stats));
  lock_stats.floor = 0;
  lock_stats.quicker = 1u << 30;
  EXPECT_FALSE(is_plausible(lock_stats));
}

}  // namespace
}  // namespace atmost::policy
