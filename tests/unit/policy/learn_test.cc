// Limits learned from runs: their parts and their promises, on runs of several kinds.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "learn_kit.h"
#include "policy/steps.h"

namespace atmost::policy {
namespace {

TEST(Steps, AreQuarterOctavesWithoutGaps) {
  EXPECT_EQ(step_of({0}), 0);
  for (int step = 0; step + 1 < kSteps; ++step) {
    const Duration end = end_of_step(step);
    EXPECT_EQ(step_of(end), step);
    EXPECT_EQ(step_of({end.ns + 1}), step + 1);
    EXPECT_NEAR(static_cast<double>(end.ns), 1e6 * std::exp2((step + 1) / 4.0),
                1e-6 * static_cast<double>(end.ns));
  }
  EXPECT_TRUE(end_of_step(kSteps - 1).is_forever());
  EXPECT_EQ(step_of(Duration::forever()), kSteps - 1);
}

TEST_F(Learn, WithoutAnyExperienceTheLimitIsTheLongest) {
  EXPECT_EQ(limit().limit, Duration::seconds(7 * 86400));
  bounds.high = Duration::seconds(3600);
  EXPECT_EQ(limit().limit, Duration::seconds(3600));
}

TEST_F(Learn, WithoutEnoughRunsOfItsOwnALockHasTheLongestLimit) {
  bounds.high = Duration::forever();
  for (std::uint32_t i = 0; i < kOwnRuns; ++i) {
    EXPECT_TRUE(limit().limit.is_forever()) << i;
    bounds.high = Duration::seconds(3600);
    EXPECT_EQ(limit().limit, Duration::seconds(3600)) << i;
    bounds.high = Duration::forever();
    run(100);
  }
  EXPECT_GT(limit().limit, seconds(100));
  EXPECT_FALSE(limit().limit.is_forever());
}

// However many runs that its directory has seen, and however short they were.
TEST_F(Learn, OtherLocksGiveANewOneNoLimit) {
  bounds.high = Duration::forever();
  for (int lock = 0; lock < 100; ++lock) {
    lock_stats = {};
    for (int i = 0; i < 20; ++i) run(0.001);
  }
  lock_stats = {};
  EXPECT_TRUE(limit().limit.is_forever());
  for (std::uint32_t i = 1; i < kOwnRuns; ++i) {
    run(0.001);
    EXPECT_TRUE(limit().limit.is_forever()) << i;
  }
  run(0.001);
  EXPECT_FALSE(limit().limit.is_forever());
}

TEST_F(Learn, TheMarginShrinksWithExperience) {
  Duration before = Duration::forever();
  for (int runs = 1; runs <= 64; ++runs) {
    run(100);
    if ((runs & (runs - 1)) != 0) continue;
    EXPECT_LE(limit().limit, before) << runs;
    before = limit().limit;
  }
  EXPECT_LT(before, seconds(300));
}

TEST_F(Learn, AForecastIsAChance) {
  for (double s : {1.0, 5.0, 100000.0, 0.001, 3.0}) {
    run(s);
    const Forecast next = forecast(lock_stats, directory_stats, weigh(lock_stats, directory_stats));
    double before = 1;
    for (double beyond : next.beyond) {
      EXPECT_GE(beyond, 0);
      EXPECT_LE(beyond, before + 1e-9);
      before = beyond;
    }
  }
}

// Done when: a run time that grows by 5 % a run for 50 runs is never killed.
TEST_F(Learn, SteadyGrowthIsNeverKilled) {
  for (double first : {0.01, 1.0, 60.0, 77.7, 3600.0}) {
    lock_stats = {};
    directory_stats = {};
    double length = first;
    for (int i = 0; i < 50; ++i, length *= 1.05) {
      EXPECT_GE(limit().limit, seconds(length)) << "run " << i << " of " << length << " s";
      run(length);
    }
  }
}

// A lock that hangs on its 30th run is stopped within three times its 99th percentile.
TEST_F(Learn, AHangOnThe30thRunIsSeenSoon) {
  std::mt19937 chance(7);
  for (double typical : {10.0, 60.0, 100.0, 1000.0, 7200.0}) {
    for (double noise : {0.0, 0.01, 0.05, 0.1}) {
      lock_stats = {};
      directory_stats = {};
      std::normal_distribution<double> normal(0, noise);
      std::vector<double> lengths;
      for (int i = 0; i < 29; ++i) {
        lengths.push_back(typical * std::exp(normal(chance)));
        run(lengths.back());
      }
      const double p99 = *std::max_element(lengths.begin(), lengths.end());
      EXPECT_LE(limit().limit, seconds(3 * p99)) << typical << " s, noise " << noise;
      EXPECT_GE(limit().limit, seconds(p99));
    }
  }
}

TEST_F(Learn, ARunCutShortIsNeverAShortOne) {
  for (int i = 0; i < 20; ++i) run(1000);
  const LockStats before = lock_stats;
  run_cut_short(lock_stats, run_of(seconds(1)));  // somebody pressed Ctrl-C
  EXPECT_EQ(std::memcmp(before.runs, lock_stats.runs, sizeof before.runs), 0);
  EXPECT_EQ(lock_stats.cut_short, 1u);
  run_cut_short(lock_stats, run_of(seconds(5000)));
  EXPECT_GT(limit().limit, seconds(5000));
}

TEST_F(Learn, ANewLockBorrowsFromTheOthers) {
  const auto run_enough = [&] {
    for (std::uint32_t i = 0; i < kOwnRuns; ++i) run(60);
    return limit().limit;
  };
  const Duration alone = run_enough();
  directory_stats = {};
  for (int lock = 0; lock < 30; ++lock) {
    lock_stats = {};
    for (int i = 0; i < 10; ++i) run(10 + lock);
  }
  lock_stats = {};
  EXPECT_LT(run_enough(), seconds(300)) << "locks of this directory do the same again";
  EXPECT_LT(limit().limit, alone);
}

TEST_F(Learn, ALowerRiskIsALongerLimit) {
  std::mt19937 chance(3);
  std::lognormal_distribution<double> lengths(5, 1);
  for (int i = 0; i < 200; ++i) run(lengths(chance));
  Duration before{};
  for (std::uint32_t risk : {100'000u, 30'000u, 10'000u, 3'000u, 1'000u, 100u, 0u}) {
    bounds.risk_ppm = risk;
    EXPECT_GE(limit().limit, before) << risk;
    before = limit().limit;
  }
  EXPECT_GT(before, seconds(10000));
}

TEST(Plausible, WhatWeWriteIsAndRubbishIsNot) {
  LockStats lock_stats{};
  DirectoryStats directory_stats{};
  for (int i = 0; i < 100'000; ++i)
    run_completed(lock_stats, directory_stats, run_of(seconds(0.001 * (i % 977))));
  EXPECT_TRUE(is_plausible(lock_stats));
  EXPECT_TRUE(is_plausible(directory_stats));
  for (float bad : {-1.0f, 1e9f, std::numeric_limits<float>::quiet_NaN(),
                    std::numeric_limits<float>::infinity()}) {
    LockStats wrong = lock_stats;
    wrong.runs[7] = bad;
    EXPECT_FALSE(is_plausible(wrong));
    DirectoryStats off = directory_stats;
    off.relations[2][1] = bad;
    EXPECT_FALSE(is_plausible(off));
  }
  directory_stats.doublings = 1000;
  EXPECT_FALSE(is_plausible(directory_stats));
  lock_stats.rows[1].longest = kSteps;
  EXPECT_FALSE(is_plausible(lock_stats));
}

}  // namespace
}  // namespace atmost::policy
