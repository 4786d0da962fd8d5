// The effect of a kill on the limits after it.
#include "learn_kit.h"
#include "policy/limits.h"

namespace atmost::policy {
namespace {

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
  for (int i = 0; i < 50; ++i) run(60);
  EXPECT_LE(limit().limit.ns, 4 * before.ns);
}

// No limit is longer than 42 days, and no fourth attempt is needed to see that.
TEST_F(Learn, WorkLongerThanAnyLimitIsKilledThreeTimes) {
  bounds.high = Duration::forever();
  for (int i = 0; i < 30; ++i) run(7200);
  int kills = 0;
  for (; limit().limit < seconds(75 * 86400); ++kills) killed();
  EXPECT_LE(kills, 3);
  bounds.high = Duration::seconds(86400);
  EXPECT_EQ(limit().limit, bounds.high);
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

// Runs whose moments matter: one after the other, or side by side.
class LearnKills : public Learn {
 protected:
  RunSample run_at(double start, double length, Doing doing = Doing::unknown) const {
    RunSample run = run_of(seconds(length));
    run.started_real_ns = seconds(start).ns;
    run.doing = doing;
    return run;
  }
  void complete(double start, double length) {
    run_completed(lock_stats, directory_stats, run_at(start, length));
  }
  void kill(double start, double length, Doing doing = Doing::unknown) {
    run_killed(lock_stats, directory_stats, run_at(start, length, doing));
  }
  // One after the other; the clock goes on.
  void runs(int count, double length) {
    for (int i = 0; i < count; ++i, clock += 2 * length) complete(clock, length);
  }
  double clock = 1000;
};

// 29 short runs and a long one, ten times; a killed run is not tried again.
TEST_F(LearnKills, AJobThatIsRarelyLongGetsItsTime) {
  for (const Doing doing : {Doing::unknown, Doing::work, Doing::nothing}) {
    lock_stats = {};
    directory_stats = {};
    int kills = 0;
    for (int month = 0; month < 10; ++month) {
      runs(29, 0.05);
      const double lasts = static_cast<double>(limit().limit.ns) / 1e9;
      if (lasts < 5) {
        kill(clock, lasts, doing);
        ++kills;
      } else {
        complete(clock, 5);
      }
      clock += 10;
    }
    EXPECT_GE(kills, 1);
    EXPECT_LE(kills, doing == Doing::nothing ? 3 : 2) << static_cast<int>(doing);
    EXPECT_GE(lock_stats.wrongly, 1u) << static_cast<int>(doing);
  }
}

// Six good runs of twelve seconds begin together; one limit after the other is reached.
TEST_F(LearnKills, KillsSideBySideAreNoRow) {
  for (int i = 0; i < 10; ++i, clock += 1) complete(clock, 0.1);
  for (int i = 0; i < 6; ++i) kill(clock + 0.01 * i, 1);
  EXPECT_EQ(lock_stats.stopped_in_a_row, 1u);
}

// Six runs reach the limit of a second together: the first is recorded before it is stopped, so
// that the others have eight.
TEST_F(LearnKills, OfThoseThatReachALimitTogetherOneIsStopped) {
  for (int i = 0; i < 30; ++i, clock += 1) complete(clock, 0.1);
  int stopped = 0;
  for (int i = 0; i < 6; ++i) {
    RunSample run = run_at(clock + 0.01 * i, 1);
    run.kind = RunSample::Kind::at_limit;
    run.low = bounds.low;
    run.high = bounds.high;
    run.limit = seconds(1);
    stopped += remember(lock_stats, directory_stats, run) ? 0 : 1;
  }
  EXPECT_EQ(stopped, 1);
  EXPECT_EQ(lock_stats.stopped, 1u);
}

// A run that began before the kill, and ends after it, says nothing about it.
TEST_F(LearnKills, ARunBesideTheKilledOneDoesNotSettleIt) {
  runs(30, 60);
  kill(clock, 200, Doing::nothing);
  const Duration after = limit().limit;
  ASSERT_GE(after, seconds(1600));
  complete(clock + 170, 60);
  EXPECT_EQ(limit().limit, after);
  EXPECT_EQ(lock_stats.hung, 0u);
  complete(clock + 210, 60);
  EXPECT_LT(limit().limit, seconds(1600));
  EXPECT_EQ(lock_stats.hung, 1u);
}

// Shorter runs that began later, and end before the retry does, do not make its kill a hang.
TEST_F(LearnKills, ARetryThatEndsAfterShorterRunsWasNoHang) {
  for (const Doing doing : {Doing::unknown, Doing::work}) {
    runs(100, 60);
    const std::uint32_t wrongly = lock_stats.wrongly;
    const double lasts = static_cast<double>(limit().limit.ns) / 1e9;
    kill(clock, lasts, doing);
    clock += lasts;
    for (int i = 0; i < 5; ++i) complete(clock + i, 60);
    EXPECT_EQ(lock_stats.hung, 0u);
    EXPECT_EQ(unsettled_kills(lock_stats), 1u);
    complete(clock, 1.5 * lasts);
    EXPECT_EQ(lock_stats.wrongly, wrongly + 1);
    EXPECT_EQ(unsettled_kills(lock_stats), 0u);
    clock += 1e5;
  }
  EXPECT_EQ(lock_stats.hung, 0u);
}

// By --auto-risk 5, a good run among 200 was to be expected.
TEST_F(LearnKills, AKillThatNoRunExplainsWasAHang) {
  runs(100, 60);
  kill(clock, 200);
  clock += 300;
  runs(199, 60);
  EXPECT_EQ(lock_stats.hung, 0u);
  runs(1, 60);
  EXPECT_EQ(lock_stats.hung, 1u);
  EXPECT_EQ(lock_stats.wrongly, 0u);
}

TEST_F(LearnKills, TheLimitStaysLongForRunsToCome) {
  runs(100, 60);
  kill(clock, 200);
  clock += 300;
  runs(35, 60);
  EXPECT_GE(limit().limit, seconds(1600)) << "the next long run need not be the next run";
  runs(10, 60);
  EXPECT_LT(limit().limit, seconds(1600));
}

TEST_F(LearnKills, AtWorkItCountsAtOnceAndNoLongerAsAHang) {
  runs(100, 60);
  const float before = directory_stats.doublings;
  kill(clock, 200, Doing::work);
  EXPECT_NEAR(directory_stats.doublings, before + 0.5f, 1e-4);
  clock += 300;
  runs(200, 60);
  EXPECT_NEAR(directory_stats.doublings, before - 200 * 0.0025f, 1e-3);
}

// Kills of which nothing was seen make limits longer everywhere, but not those of many hangs more.
TEST_F(LearnKills, HangsOfOneLockLeaveTheOthersTheirLimits) {
  runs(100, 60);
  const LockStats quiet = lock_stats;
  const double before = limit().price;
  for (int i = 0; i < 10; ++i) {
    kill(clock, 200);
    clock += 300;
    runs(10, 60);
  }
  lock_stats = quiet;
  EXPECT_LE(limit().price, 2 * before);
}

// More rows of kills than there is room for.
TEST_F(LearnKills, TheOldestKillGivesWay) {
  runs(100, 60);
  for (int i = 0; i < 3 * kRows; ++i) {
    kill(clock, 200 + i);
    clock += 300;
    runs(1, 60);
    EXPECT_LE(unsettled_kills(lock_stats), static_cast<std::uint32_t>(kRows));
  }
  complete(clock, 1000);
  EXPECT_EQ(unsettled_kills(lock_stats), 0u);
  EXPECT_EQ(lock_stats.wrongly + lock_stats.hung, lock_stats.stopped);
}

TEST_F(Learn, AKillWidensEightfold) {
  for (int i = 0; i < 100; ++i) run(100);
  const Duration before = limit().limit;
  killed();
  EXPECT_NEAR(static_cast<double>(limit().limit.ns), 8.0 * static_cast<double>(before.ns), 1e3);
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

}  // namespace
}  // namespace atmost::policy
