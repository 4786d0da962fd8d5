// The accepted risk is kept, on runs of several kinds.
#include <cmath>
#include <random>
#include <vector>

#include "learn_kit.h"
#include "policy/learn.h"

namespace atmost::policy {
namespace {

// No more than about so many good runs in 1,000 are killed, with runs of any kind.
TEST(Risk, IsKeptOnRunsOfAnyKind) {
  std::mt19937 chance(11);
  std::normal_distribution<double> normal(0, 1);
  std::uniform_real_distribution<double> even(1e-9, 1);
  const auto length = [&](int kind, int lock, int i) {
    const double typical = std::exp(2 + lock % 7);
    switch (kind) {
      case 0:
        return typical * std::exp((0.1 + 0.3 * (lock % 4)) * normal(chance));  // lognormal
      case 1:
        return typical * (even(chance) < 0.08 ? 20 : 1) *
               std::exp(0.1 * normal(chance));  // two kinds of work
      case 2:
        return typical * std::pow(1.01, i) * std::exp(0.15 * normal(chance));  // growing
      case 3:
        return typical *
               std::pow(-std::log(even(chance)), 1 / (0.4 + 0.4 * (lock % 3)));  // Weibull
      case 4:
        return typical * (i % 7 == 6 ? 8 : 1) * std::exp(0.3 * normal(chance));  // weekly
      default:
        return typical * (1 + 0.03 * even(chance));  // the same again
    }
  };
  for (int kind = 0; kind < 6; ++kind) {
    std::vector<LockStats> locks(40);
    DirectoryStats directory_stats{};
    LearnedBounds bounds;
    bounds.risk_ppm = 6000;
    int kills = 0, runs = 0;
    for (int i = 0; i < 150; ++i) {
      for (int lock = 0; lock < 40; ++lock) {
        LockStats& lock_stats = locks[static_cast<std::size_t>(lock)];
        const Duration ran = seconds(length(kind, lock, i));
        runs += i > 0;
        for (; i > 0 && run_limit(lock_stats, directory_stats, bounds).limit < ran; ++kills) {
          run_killed(lock_stats, directory_stats,
                     run_of(run_limit(lock_stats, directory_stats, bounds).limit));
        }
        run_completed(lock_stats, directory_stats, run_of(ran));
      }
    }
    EXPECT_LE(1000.0 * kills / runs, 7.0) << "kind " << kind;
  }
}

// A new directory, and runs whose longest are far longer than all before: the limits at which no
// more than the risk would have been killed have to be found before they are known.
TEST(Risk, IsKeptFromTheStart) {
  std::mt19937 chance(5);
  std::uniform_real_distribution<double> even(1e-9, 1);
  int kills = 0, runs = 0;
  for (int directory = 0; directory < 8; ++directory) {
    std::vector<LockStats> locks(20);
    DirectoryStats directory_stats{};
    LearnedBounds bounds;
    bounds.risk_ppm = 3000;
    for (int i = 0; i < 100; ++i) {
      for (std::size_t lock = 0; lock < locks.size(); ++lock) {
        LockStats& lock_stats = locks[lock];
        const Duration ran =
            seconds(std::exp(1 + static_cast<double>(lock % 7)) / std::sqrt(even(chance)));
        runs += i >= 5;
        for (; run_limit(lock_stats, directory_stats, bounds).limit < ran; ++kills) {
          run_killed(lock_stats, directory_stats,
                     run_of(run_limit(lock_stats, directory_stats, bounds).limit));
        }
        run_completed(lock_stats, directory_stats, run_of(ran));
      }
    }
  }
  EXPECT_LE(1000.0 * kills / runs, 3.75);
}

// A kill of a good run makes it half a doubling dearer, and each run a little cheaper.
TEST(Price, FollowsTheKillsOfGoodRuns) {
  const LockStats lock_stats{};
  DirectoryStats directory_stats{};
  EXPECT_DOUBLE_EQ(price_for(lock_stats, directory_stats, 5000), 200);
  for (int kill = 0; kill < 4; ++kill) were_good(directory_stats, 1);
  EXPECT_DOUBLE_EQ(price_for(lock_stats, directory_stats, 5000), 800);
  for (int run = 0; run < 800; ++run) had_a_limit(directory_stats, 5000);
  EXPECT_NEAR(price_for(lock_stats, directory_stats, 5000), 200, 1);
  for (int run = 0; run < 10'000; ++run) had_a_limit(directory_stats, 5000);
  EXPECT_NEAR(price_for(lock_stats, directory_stats, 5000), 32, 0.1) << "it stays above";
}

TEST(Price, IsDearerForALockThatLostItsLastRuns) {
  LockStats lock_stats{};
  lock_stats.stopped_in_a_row = 3;
  EXPECT_DOUBLE_EQ(price_for(lock_stats, {}, 5000), 1600);
  lock_stats.stopped_in_a_row = UINT32_MAX;
  EXPECT_LE(price_for(lock_stats, {}, 1), 0x1p40);
}

// Most runs end within step 40, and one in a hundred at step `longest`.
Forecast of_two_kinds(int longest) {
  Forecast next{};
  for (int s = 0; s < longest; ++s) next.beyond[s] = s < 40 ? 1 : 0.01;
  return next;
}

TEST(Price, ARetryThatWouldBeKilledMakesALimitDearer) {
  const int high = kSteps - 1;
  EXPECT_EQ(best_step(of_two_kinds(80), 820, high), 80) << "step 40 would kill it three times";
  EXPECT_EQ(best_step(of_two_kinds(80), 700, high), 40) << "but further kills are less likely";
  EXPECT_EQ(best_step(of_two_kinds(52), 290, high), 40) << "one kill, and the retry completes";
  EXPECT_EQ(best_step(of_two_kinds(52), 310, high), 52);
}

TEST(Price, WhatIsLongerThanTheLongestLimitIsNotTriedAgain) {
  EXPECT_EQ(best_step(of_two_kinds(kSteps), 2000, 60), 48) << "its retry has the longest limit";
  EXPECT_EQ(best_step(of_two_kinds(kSteps), 2000, 52), 40);
}

TEST_F(Learn, TheDirectoryCountsKillsOfGoodRuns) {
  for (int i = 0; i < 100; ++i) run(100);
  EXPECT_NEAR(static_cast<double>(directory_stats.allowed), 95 * 0.005, 1e-5);
  for (int kill = 0; kill < 2; ++kill) killed();
  run(100);
  EXPECT_EQ(directory_stats.wrongly, 0) << "nothing has shown that they were good";
  for (int kill = 0; kill < 2; ++kill) killed();
  run(1e6);
  EXPECT_EQ(directory_stats.wrongly, 4) << "nor that the first two were not";
}

}  // namespace
}  // namespace atmost::policy
