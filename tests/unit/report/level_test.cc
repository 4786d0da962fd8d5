#include "statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace atmost::report {
namespace {

using Times = std::vector<std::int64_t>;

class Level : public ::testing::Test {
 protected:
  void runs(std::size_t count, double seconds, double noise = 0.1) {
    std::normal_distribution<double> normal(0, noise);
    for (std::size_t i = 0; i < count; ++i)
      times.push_back(static_cast<std::int64_t>(seconds * 1e9 * std::exp(normal(chance))));
  }
  LevelChange change() const { return last_level_change(times); }

  std::mt19937_64 chance{5};
  Times times;
};

TEST_F(Level, AChangeIsNamedWithItsPlaceAndFactor) {
  runs(60, 60);
  runs(20, 120);
  EXPECT_TRUE(change().found);
  EXPECT_EQ(change().at, 60u);
  EXPECT_NEAR(change().ratio, 2, 0.2);
  EXPECT_NEAR(static_cast<double>(change().before_ns), 60e9, 5e9);
}

TEST_F(Level, HalfAsMuchAgainIsOneToo) {
  runs(60, 60);
  runs(20, 90);
  EXPECT_TRUE(change().found);
}

TEST_F(Level, ShorterRunsAreAChange) {
  runs(60, 60);
  runs(20, 20);
  EXPECT_NEAR(change().ratio, 1.0 / 3, 0.05);
}

TEST_F(Level, SixRunsAreEnoughAndFiveAreNot) {
  runs(60, 60);
  runs(5, 200);
  EXPECT_FALSE(change().found);
  runs(1, 200);
  EXPECT_EQ(change().at, 60u);
}

TEST_F(Level, AFewOddRunsAreNone) {
  runs(60, 60);
  runs(4, 6000);
  runs(60, 60);
  EXPECT_FALSE(change().found);
}

TEST_F(Level, SmallChangesAndGrowthOfATenthAreNone) {
  runs(60, 60);
  runs(60, 66);
  EXPECT_FALSE(change().found);
}

TEST_F(Level, TheLatestOfSeveralIsNamed) {
  runs(60, 60);
  runs(60, 240);
  runs(30, 600);
  EXPECT_EQ(change().at, 120u);
  EXPECT_NEAR(change().ratio, 2.5, 0.2);
}

TEST_F(Level, ASmallChangeAfterALargeOneDoesNotHideIt) {
  runs(60, 60, 0.05);
  runs(60, 240, 0.05);
  runs(60, 280, 0.05);
  EXPECT_EQ(change().at, 60u);
  EXPECT_NEAR(change().ratio, 4.3, 0.3);
}

TEST_F(Level, EqualTimesAndNoneAreNoChange) {
  EXPECT_FALSE(change().found);
  times.assign(100, 0);
  EXPECT_FALSE(change().found);
}

TEST_F(Level, OfALongRecordTheEndCounts) {
  runs(30'000, 60);
  runs(100, 120);
  EXPECT_NEAR(static_cast<double>(change().at), 30'000, 2);
}

}  // namespace
}  // namespace atmost::report
