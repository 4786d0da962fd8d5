// Limits learned from runs: what a limit is made of, and what is promised of it, on runs of several
// kinds.
#include "policy/learn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "policy/steps.h"

namespace atmost::policy {
namespace {

Duration seconds(double s) { return {static_cast<std::int64_t>(s * 1e9)}; }

// One lock in a directory of its own, unless told otherwise.
RunSample run_of(Duration ran) {
  RunSample run;
  run.ran = ran;
  return run;
}

class Learn : public ::testing::Test {
 protected:
  RunLimit limit() const { return run_limit(lock_stats, directory_stats, bounds); }
  void run(double s) { run_completed(lock_stats, directory_stats, run_of(seconds(s))); }
  void killed() { run_cut_short(lock_stats, directory_stats, run_of(limit().limit), CutBy::limit); }

  LockStats lock_stats{};
  DirectoryStats directory_stats{};
  LearnedBounds bounds;
};

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

TEST_F(Learn, WithoutAnyExperienceThereIsNoLimit) {
  EXPECT_TRUE(limit().limit.is_forever());
  bounds.high = Duration::seconds(3600);
  EXPECT_EQ(limit().limit, Duration::seconds(3600));
}

TEST_F(Learn, WithoutEnoughRunsOfItsOwnALockHasNoLimit) {
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
    const Forecast next = forecast(lock_stats, directory_stats);
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

// Done when: one that hangs on its 30th run is stopped within three times its 99th percentile.
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

// Done when: killed wrongly three times in a row, the fourth completes. Here the work has become a
// hundred times as long.
TEST_F(Learn, KilledThreeTimesInARowItCompletesTheFourth) {
  for (int i = 0; i < 100; ++i) run(100);
  const double length = 10000;
  int kills = 0;
  for (; limit().limit < seconds(length); ++kills) killed();
  EXPECT_GE(kills, 1);
  EXPECT_LE(kills, 3);
  run(length);
  EXPECT_GE(limit().limit, seconds(length));  // what was learned so dearly is kept
}

// A job of a minute that hangs again and again.
TEST_F(Learn, HangsInARowDoNotDisarmTheLimit) {
  for (int i = 0; i < 100; ++i) run(60);
  const Duration before = limit().limit;
  for (int hang = 0; hang < 8; ++hang) {  // the last of them for four weeks
    killed();
    EXPECT_FALSE(limit().limit.is_forever()) << hang;
    if (hang == 4) {
      EXPECT_LE(limit().limit, seconds(8 * 86400));
    }
  }
  run(60);
  EXPECT_FALSE(limit().limit.is_forever());
  for (int i = 0; i < 12; ++i) run(60);
  EXPECT_LE(limit().limit.ns, 2 * before.ns);
}

// The shortest limit is a second: eight times that is what the next run has.
TEST_F(Learn, AfterAKillTheLimitIsEightTimesAsLongWhateverTheBounds) {
  for (int i = 0; i < 30; ++i) run(0.05);
  ASSERT_EQ(limit().limit, bounds.low);
  killed();
  EXPECT_GE(limit().limit, seconds(8));
  killed();
  EXPECT_GE(limit().limit, seconds(60));
  run(20);
  for (int i = 0; i < 3; ++i) run(0.05);
  EXPECT_GE(limit().limit, seconds(20));
  EXPECT_LE(limit().limit, seconds(600));
  bounds.high = Duration::seconds(5);
  killed();
  EXPECT_EQ(limit().limit, bounds.high) << "but never longer than the longest";
}

// With two slots: what was admitted before the kill and ends after it says nothing about it.
TEST_F(Learn, ARunBesideTheKilledOneDoesNotSettleIt) {
  const auto run_at = [&](double start, double length) {
    RunSample run = run_of(seconds(length));
    run.started_real_ns = seconds(start).ns;
    return run;
  };
  for (int i = 0; i < 30; ++i)
    run_completed(lock_stats, directory_stats, run_at(1000 + i * 100, 60));
  run_cut_short(lock_stats, directory_stats, run_at(10000, 200), CutBy::limit);
  const Duration after = limit().limit;
  ASSERT_GE(after, seconds(1600));
  run_completed(lock_stats, directory_stats, run_at(10170, 60));
  EXPECT_EQ(limit().limit, after);
  run_completed(lock_stats, directory_stats, run_at(10210, 60));
  EXPECT_LT(limit().limit, seconds(1600));
}

// A log's runs start when they did, so a retry often ends after shorter runs that began later.
TEST_F(Learn, ARetryThatEndsAfterAShorterRunWasNoHang) {
  double now = 1000;
  const auto run_at = [&](double start, double length) {
    RunSample run = run_of(seconds(length));
    run.started_real_ns = seconds(start).ns;
    return run;
  };
  for (int i = 0; i < 100; ++i, now += 100)
    run_completed(lock_stats, directory_stats, run_at(now, 60));
  // Two kills of a long run, each followed by a shorter run while its retry goes on.
  double killed_after = 0;
  for (int kill = 0; kill < 2; ++kill) {
    const double lasts = static_cast<double>(limit().limit.ns) / 1e9;
    run_cut_short(lock_stats, directory_stats, run_at(now, lasts), CutBy::limit);
    killed_after = lasts;
    now += lasts;
    run_completed(lock_stats, directory_stats, run_at(now + 10, 60));
    EXPECT_EQ(lock_stats.hung, 1u + static_cast<unsigned>(kill));
    EXPECT_EQ(lock_stats.wrongly, 0u);
  }
  const auto missed_before = directory_stats.missed[2];
  const double long_run = 1.5 * killed_after;
  run_completed(lock_stats, directory_stats, run_at(now, long_run));
  EXPECT_EQ(lock_stats.hung, 0u);
  EXPECT_EQ(lock_stats.wrongly, 2u);
  EXPECT_GE(directory_stats.missed[2], missed_before + 1)
      << "what was learned between the kill and the end hides no kill";
  // Whatever began after the decision says nothing about it.
  for (int i = 0; i < 300; ++i) run(60);
  const double lasts = static_cast<double>(limit().limit.ns) / 1e9;
  run_cut_short(lock_stats, directory_stats, run_at(now + 1e6, lasts), CutBy::limit);
  now += 1e6 + lasts;
  run_completed(lock_stats, directory_stats, run_at(now + 10, 60));
  run_completed(lock_stats, directory_stats, run_at(now + 80, 1e6));
  EXPECT_EQ(lock_stats.hung, 1u);
}

TEST_F(Learn, AKillWidensEightfoldAndThreeRunsNarrowAgain) {
  for (int i = 0; i < 100; ++i) run(100);
  const Duration before = limit().limit;
  killed();
  EXPECT_NEAR(static_cast<double>(limit().limit.ns), 8.0 * static_cast<double>(before.ns), 1e3);
  run(100);
  EXPECT_GT(limit().limit, before);
  EXPECT_LT(static_cast<double>(limit().limit.ns), 8.0 * static_cast<double>(before.ns));
  for (int i = 0; i < 2; ++i) run(100);
  // The killed run may have been good: until much has been seen since, it counts as twice as long.
  EXPECT_LE(static_cast<double>(limit().limit.ns), 3.0 * static_cast<double>(before.ns));
  for (int i = 0; i < 300; ++i) run(100);
  EXPECT_LE(limit().limit, before);
}

// Six short runs and a long one: the long one is killed at first, and must not be for ever.
TEST_F(Learn, AnAtomOftenKilledIsGivenMoreTime) {
  for (int i = 0; i < 100; ++i) run(10);
  int kills = 0;
  for (int week = 0; week < 30; ++week) {
    if (limit().limit < seconds(2000)) {
      killed();
      ++kills;
    } else {
      run(2000);
    }
    for (int day = 0; day < 6; ++day) run(10);
  }
  EXPECT_GE(kills, 1);
  EXPECT_LE(kills, 10);
}

TEST_F(Learn, ARunCutShortIsNeverAShortOne) {
  for (int i = 0; i < 20; ++i) run(1000);
  const LockStats before = lock_stats;
  run_cut_short(lock_stats, directory_stats, run_of(seconds(1)),
                CutBy::other);  // somebody pressed Ctrl-C
  EXPECT_EQ(std::memcmp(before.runs, lock_stats.runs, sizeof before.runs), 0);
  EXPECT_EQ(lock_stats.cut_short, 1u);
  run_cut_short(lock_stats, directory_stats, run_of(seconds(5000)), CutBy::other);
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

// The knob means what it says: no more than about so many good runs in 1,000 are killed, whatever
// the runs are like.
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
          run_cut_short(lock_stats, directory_stats,
                        run_of(run_limit(lock_stats, directory_stats, bounds).limit), CutBy::limit);
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
    bounds.risk_ppm = 1000;
    for (int i = 0; i < 100; ++i) {
      for (std::size_t lock = 0; lock < locks.size(); ++lock) {
        LockStats& lock_stats = locks[lock];
        const Duration ran =
            seconds(std::exp(1 + static_cast<double>(lock % 7)) / std::sqrt(even(chance)));
        runs += i >= 5;
        for (; run_limit(lock_stats, directory_stats, bounds).limit < ran; ++kills) {
          run_cut_short(lock_stats, directory_stats,
                        run_of(run_limit(lock_stats, directory_stats, bounds).limit), CutBy::limit);
        }
        run_completed(lock_stats, directory_stats, run_of(ran));
      }
    }
  }
  EXPECT_LE(1000.0 * kills / runs, 1.25);
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
  lock_stats.widened = 1000;
  EXPECT_FALSE(is_plausible(lock_stats));
}

}  // namespace
}  // namespace atmost::policy
