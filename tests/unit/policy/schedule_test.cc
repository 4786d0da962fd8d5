// The interval that is learned, spam, and how the limits keep their order.
#include "policy/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "policy/decide.h"
#include "policy/limits.h"

namespace atmost::policy {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr Duration kHour = Duration::seconds(3600);

class Interval : public ::testing::Test {
 protected:
  // Admissions so long after each other, each run taking ten seconds.
  void admit(int times, Duration interval) {
    for (int i = 0; i < times; ++i) {
      now_ns_ += interval.ns;
      RunSample what;
      what.ran = Duration::seconds(10);
      what.asked_real_ns = now_ns_;
      what.interval = schedule().interval;
      remember(lock_stats, directory_stats, what);
    }
  }
  void ask_too_soon(Duration after) {
    now_ns_ += after.ns;
    RunSample what;
    what.kind = RunSample::Kind::too_soon;
    what.asked_real_ns = now_ns_;
    what.interval = schedule().interval;
    remember(lock_stats, directory_stats, what);
  }
  Schedule schedule() const { return schedule_of(lock_stats, bounds); }

  LockStats lock_stats{};
  DirectoryStats directory_stats{};
  LearnedBounds bounds;

 private:
  std::int64_t now_ns_ = 1'700'000'000 * kSecond;
};

TEST_F(Interval, IsNotKnownBeforeFour) {
  admit(4, kHour);
  EXPECT_FALSE(schedule().known);
  EXPECT_TRUE(schedule().interval.is_zero());
  admit(1, kHour);
  EXPECT_TRUE(schedule().known);
}

TEST_F(Interval, IsHalfOfTheUsualOne) {
  admit(10, kHour);
  EXPECT_LE(schedule().usual, kHour);
  EXPECT_GE(schedule().longer, kHour);
  EXPECT_EQ(schedule().interval.ns, schedule().usual.ns / 2);
}

TEST_F(Interval, ManualRunsBetweenDoNotChangeIt) {
  for (int day = 0; day < 10; ++day) {
    admit(5, kHour);
    admit(1, Duration::seconds(2000));
  }
  EXPECT_GT(schedule().interval, Duration::seconds(1200));
}

TEST_F(Interval, FollowsANewSchedule) {
  admit(40, kHour);
  admit(70, Duration::seconds(600));
  EXPECT_LE(schedule().usual, Duration::seconds(600));
}

TEST_F(Interval, FollowsANewScheduleWithinTenRequests) {
  const Duration before[] = {Duration::seconds(86400), kHour};
  const Duration after[] = {kHour, Duration::seconds(1200)};
  for (int i = 0; i < 2; ++i) {
    admit(60, before[i]);
    for (int j = 0; j < 10; ++j) {
      if (after[i] >= schedule().interval) {
        admit(1, after[i]);
      } else {
        ask_too_soon(after[i]);
      }
    }
    EXPECT_LE(schedule().interval, after[i]);
    EXPECT_GT(schedule().usual, Duration{after[i].ns / 2});
  }
}

// Requests at random, an hour apart in the mean. An interval that is learned from what it admits
// grows by itself.
TEST_F(Interval, RandomRequestsAreNotThrottledMoreAndMore) {
  std::mt19937 chance(5);
  std::exponential_distribution<double> gaps(1.0 / 3600);
  int refused = 0;
  Duration since{};
  for (int i = 0; i < 10'000; ++i) {
    if (i == 9000) refused = 0;
    const Duration gap{static_cast<std::int64_t>(gaps(chance) * 1e9)};
    since = {since.ns + gap.ns};
    if (since >= schedule().interval) {
      admit(1, gap);
      since = {};
    } else {
      ask_too_soon(gap);
      ++refused;
    }
  }
  EXPECT_LE(refused, 450) << "of the last thousand";
  EXPECT_LE(schedule().interval, kHour);
}

// A burst is none, unless it lasts for ten times as long as was usual.
TEST_F(Interval, ABurstIsNoSchedule) {
  admit(20, kHour);
  const Duration before = schedule().usual;
  for (int i = 0; i < 5 * 3600 / 2; ++i) ask_too_soon(Duration::seconds(2));
  EXPECT_EQ(schedule().usual, before);
  for (int i = 0; i < 10 * 3600 / 2; ++i) ask_too_soon(Duration::seconds(2));
  EXPECT_LE(schedule().usual, Duration::seconds(2));
}

// A request each three minutes, for six hours, where one an hour was usual.
TEST_F(Interval, AFloodDoesNotTeachItsOwnRhythm) {
  for (const Duration usual : {kHour, Duration::seconds(86400), Duration::seconds(600)}) {
    lock_stats = {};
    admit(10, usual);
    const Duration gap = {usual.ns / 20};
    int admitted = 0, asked = 0, begins = 0;
    Duration since{};
    for (; asked * gap.ns < 6 * kHour.ns; ++asked) {
      since = {since.ns + gap.ns};
      const bool spammed = is_spammed(lock_stats);
      if (since >= schedule().interval) {
        admit(1, gap);
        ++admitted;
        since = {};
      } else {
        ask_too_soon(gap);
      }
      begins += !spammed && is_spammed(lock_stats);
    }
    EXPECT_LE(admitted, 1.5 * std::max<double>(1, 6.0 * kHour.ns / usual.ns)) << asked;
    EXPECT_LE(begins, admitted + 1) << "and it is told as often as it begins";
  }
}

// A new rhythm that lasts is one, however quick.
TEST_F(Interval, AQuickRhythmIsFollowedOnceItHasHeld) {
  admit(40, kHour);
  const Duration quick = Duration::seconds(300);
  const auto ask = [&] { quick >= schedule().interval ? admit(1, quick) : ask_too_soon(quick); };
  for (int i = 0; i < 100; ++i) ask();
  EXPECT_GT(schedule().interval, quick);
  for (int i = 0; i < 40; ++i) ask();
  EXPECT_LE(schedule().interval, quick);
}

TEST_F(Interval, SpamIsCountedFromTheThirdRequestOn) {
  admit(10, kHour);
  ask_too_soon(Duration::seconds(5));
  EXPECT_EQ(lock_stats.spam, 0u) << "a retry is none";
  ask_too_soon(Duration::seconds(5));
  EXPECT_EQ(lock_stats.spam, 1u);
  EXPECT_EQ(lock_stats.too_soon, 2u);
}

TEST_F(Interval, SpamHasToWaitLongerButTheScheduleIsKept) {
  admit(10, kHour);
  const Duration before = schedule().interval;
  for (int i = 0; i < 100; ++i) ask_too_soon(Duration::seconds(5));
  EXPECT_GT(schedule().interval, before);
  EXPECT_EQ(schedule().interval, schedule().usual);
  admit(1, kHour);
  EXPECT_EQ(schedule().interval, before) << "and not once it has stopped";
}

TEST_F(Interval, AtTheIntervalIsSpamToo) {
  admit(10, kHour);
  for (int i = 0; i < 3; ++i) {
    RunSample what;
    what.ran = Duration::seconds(1);
    what.asked_real_ns = lock_stats.asked_real_ns + 60 * kSecond;
    what.interval = Duration::seconds(60);
    remember(lock_stats, directory_stats, what);
  }
  EXPECT_EQ(lock_stats.spam, 2u);
}

TEST_F(Interval, OldAndForeignMomentsAreLeftOut) {
  admit(10, kHour);
  const LockStats before = lock_stats;
  asked(lock_stats, before.asked_real_ns - 1, kHour);
  asked(lock_stats, 0, kHour);
  EXPECT_EQ(lock_stats.asked_real_ns, before.asked_real_ns);
  EXPECT_EQ(lock_stats.spam, before.spam);
}

// ExpireAfter > usual interval >= IfElapsed.
TEST_F(Interval, TheLimitsKeepTheirOrder) {
  admit(20, kHour);
  Request request;
  request.if_elapsed_auto = request.expire_auto = true;
  View view;
  view.lock_stats = &lock_stats;
  view.directory_stats = &directory_stats;
  const Limits limits = limits_of(request, view);
  EXPECT_GE(limits.expire_after, kHour);
  EXPECT_LE(limits.if_elapsed, kHour);
  request.if_elapsed_auto = false;
  EXPECT_LT(limits_of(request, view).expire_after, Duration::seconds(100))
      << "alone it goes by the run times";
  request.if_elapsed = Duration::seconds(7200);
  EXPECT_EQ(limits_of(request, view).expire_after, Duration::seconds(7200));
}

// A learned silence is as long as a learned run; no limit is for ever, so that beats are heard.
TEST_F(Interval, ASilenceIsAsLongAsARunMayTake) {
  Request request;
  request.max_runtime_auto = request.max_idle_auto = request.expire_idle_auto = true;
  View view;
  view.lock_stats = &lock_stats;
  view.directory_stats = &directory_stats;
  Limits limits = limits_of(request, view);
  EXPECT_EQ(limits.max_idle, Duration::seconds(7 * 86400)) << "of the first five runs";
  request.learned.high = Duration::forever();
  limits = limits_of(request, view);
  EXPECT_TRUE(limits.max_idle.is_forever());
  EXPECT_TRUE(limits.expire_idle.is_forever());
  EXPECT_TRUE(limits.max_runtime.is_zero());
  for (int i = 0; i < 20; ++i) {
    RunSample run;
    run.ran = Duration::seconds(30);
    remember(lock_stats, directory_stats, run);
  }
  limits = limits_of(request, view);
  EXPECT_GT(limits.max_idle, Duration::seconds(30));
  EXPECT_LT(limits.max_idle, Duration::seconds(3000));
  EXPECT_EQ(limits.max_idle, limits.max_runtime);
  EXPECT_EQ(limits.expire_idle, limits.max_runtime);
  request = {};
  request.max_idle = Duration::seconds(1);
  request.expire_idle = Duration::seconds(2);
  limits = limits_of(request, view);
  EXPECT_EQ(limits.max_idle, Duration::seconds(1));
  EXPECT_EQ(limits.expire_idle, Duration::seconds(2));
  EXPECT_TRUE(limits.max_runtime.is_zero());
}

TEST_F(Interval, BoundsHold) {
  admit(20, kHour);
  bounds.high = Duration::seconds(60);
  EXPECT_EQ(schedule().interval, Duration::seconds(60));
  bounds = {Duration::seconds(9000), Duration::forever(), 5000};
  EXPECT_EQ(schedule().interval, schedule().usual) << "never longer than the usual interval";
}

TEST(Limits, WithoutMemoryNothingIsTooSoonOrOverdue) {
  Request request;
  request.if_elapsed_auto = request.expire_auto = request.max_runtime_auto = true;
  View view;
  for (bool spoilt : {false, true}) {
    LockStats lock_stats{};
    lock_stats.runs[3] = -1;
    view.lock_stats = spoilt ? &lock_stats : nullptr;
    const Limits limits = limits_of(request, view);
    EXPECT_TRUE(limits.if_elapsed.is_zero());
    EXPECT_EQ(limits.expire_after, request.learned.high);
    EXPECT_EQ(limits.max_runtime, request.learned.high);
  }
}

TEST(Limits, DecideGoesByThem) {
  LockStats lock_stats{};
  DirectoryStats directory_stats{};
  for (int i = 0; i < 40; ++i) {
    RunSample what;
    what.ran = Duration::seconds(100);
    remember(lock_stats, directory_stats, what);
  }
  Request request;
  LockSpec lock;
  View view;
  view.lock_stats = &lock_stats;
  view.directory_stats = &directory_stats;
  HolderView holder;
  holder.slot = 1;
  holder.start = {0, 0, true, true};
  view.holders = {&holder, 1};
  view.held = 1;
  const Instant later = {250 * kSecond, 250 * kSecond, false};
  EXPECT_EQ(decide(request, lock, view, later).verdict, Verdict::busy);
  request.expire_auto = true;
  EXPECT_EQ(decide(request, lock, view, later).verdict, Verdict::take_over);
  const Decision early = decide(request, lock, view, {110 * kSecond, 110 * kSecond, false});
  EXPECT_EQ(early.verdict, Verdict::busy);
  EXPECT_EQ(early.retry_in.ns, early.limits.expire_after.ns - 110 * kSecond);
}

}  // namespace
}  // namespace atmost::policy
