#include "statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace atmost::report {
namespace {

std::vector<std::int64_t> times(std::size_t count, double growth, double noise) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0, noise);
  std::vector<std::int64_t> to;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    to.push_back(
        static_cast<std::int64_t>(60e9 * std::pow(growth, share) * std::exp(normal(random))));
  }
  return to;
}

TEST(Trend, FewRunsTellNothing) { EXPECT_EQ(trend_of(times(7, 2, 0)).course, Course::unknown); }

TEST(Trend, GrowthIsSeenThroughNoise) {
  const Trend trend = trend_of(times(400, 2, 0.4));
  EXPECT_EQ(trend.course, Course::rising);
  EXPECT_NEAR(trend.ratio, 2, 0.3);
  EXPECT_EQ(trend_of(times(400, 0.5, 0.4)).course, Course::falling);
  EXPECT_EQ(trend_of(times(8, 2, 0)).course, Course::rising);
}

TEST(Trend, NoiseAloneIsSteady) {
  EXPECT_EQ(trend_of(times(400, 1, 0.6)).course, Course::steady);
  EXPECT_EQ(trend_of(std::vector<std::int64_t>(50, 0)).course, Course::steady);
  EXPECT_EQ(trend_of(times(400, 1.02, 0)).course, Course::steady)
      << "significant, and not worth a word";
}

TEST(Trend, OddRunsDoNotBendIt) {
  std::vector<std::int64_t> steady = times(160, 1, 0.01);
  for (std::size_t i = 150; i < 153; ++i) steady[i] *= 1000;
  EXPECT_EQ(trend_of(steady).course, Course::steady);
}

}  // namespace
}  // namespace atmost::report
