// The effect of a kill on the limits after it.
#include "learn_kit.h"

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
  for (int i = 0; i < 12; ++i) run(60);
  EXPECT_LE(limit().limit.ns, 2 * before.ns);
}

// No limit is longer than 42 days, and no fourth attempt is needed to see that.
TEST_F(Learn, WorkLongerThanAnyLimitIsKilledThreeTimes) {
  for (int i = 0; i < 30; ++i) run(7200);
  int kills = 0;
  for (; limit().limit < seconds(75 * 86400); ++kills) killed();
  EXPECT_LE(kills, 3);
  bounds.high = Duration::seconds(86400);
  EXPECT_EQ(limit().limit, bounds.high);
}

// The limit after three kills in a row of a new lock.
class LearnRows : public Learn {
 protected:
  double after_three_kills() {
    lock_stats = {};
    for (int i = 0; i < 60; ++i) run(600);
    for (int kill = 0; kill < 3; ++kill) killed();
    return static_cast<double>(limit().limit.ns) / 1e9;
  }
};

// Five in a row that hang for a week each are all noticed, once the directory has shown that such
// rows are hangs.
TEST_F(LearnRows, WhereTheyAreHangsTheLimitsStayShort) {
  for (int lock = 0; lock < 7; ++lock) {
    EXPECT_GT(after_three_kills(), 7 * 86400) << lock << ": it may be good work";
    run(600);
  }
  EXPECT_LT(after_three_kills(), 4 * 86400);
  killed();
  EXPECT_LT(limit().limit, Duration::seconds(7 * 86400));
}

TEST_F(LearnRows, OneThatWasGoodMakesRoomAgain) {
  for (int lock = 0; lock < 10; ++lock) {
    after_three_kills();
    run(600);
  }
  after_three_kills();
  run(2 * 86400);
  EXPECT_GT(after_three_kills(), 7 * 86400);
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
  // A run that began after the decision proves nothing about it.
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

}  // namespace
}  // namespace atmost::policy
