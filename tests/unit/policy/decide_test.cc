// The rule, question by question.
#include "decide_kit.h"

namespace atmost::policy {
namespace {

TEST_F(Decide, AdmitsWhereThereIsRoom) {
  view.has_room = true;
  EXPECT_EQ(ask().verdict, Verdict::admit);
  EXPECT_EQ(ask().why, Why::none);
}

TEST_F(Decide, IsBusyWhereThereIsNone) {
  view.held = 1;
  const Decision answer = ask();
  EXPECT_EQ(answer.verdict, Verdict::busy);
  EXPECT_EQ(answer.why, Why::no_slot);
  EXPECT_EQ(answer.held, 1u);
  EXPECT_TRUE(answer.retry_in.is_forever());
}

// Every reason holds at once; then, one by one, the first is taken away, and the rest decides. The
// order is that of Figure 3, with the reasons that the paper does not have put around it.
TEST_F(Decide, ReasonsCountInTheirOrder) {
  lock.max = 0;
  view.drained = true;
  view.last.start = same_boot(1);
  request.if_elapsed = Duration::seconds(60);
  view.held_by_ancestor = true;
  view.takeover_running = true;
  request.expire_after = Duration::seconds(10);
  request.on_busy = OnBusy::join;
  view.joiner_waiting = true;
  hold({20});
  view.has_room = false;

  EXPECT_EQ(ask().why, Why::zero);
  lock.max = 1;
  EXPECT_EQ(ask().why, Why::drained);
  view.drained = false;
  EXPECT_EQ(ask().verdict, Verdict::too_soon);
  view.last.start = same_boot(60);
  EXPECT_EQ(ask().why, Why::ancestor);
  view.held_by_ancestor = false;
  EXPECT_EQ(ask().why, Why::taking_over);
  view.takeover_running = false;
  EXPECT_EQ(ask().verdict, Verdict::take_over);
  request.expire_after = Duration::seconds(21);
  EXPECT_EQ(ask().why, Why::joined);
  view.joiner_waiting = false;
  EXPECT_EQ(ask().why, Why::no_slot);
  view.has_room = true;
  EXPECT_EQ(ask().verdict, Verdict::admit);
}

// --- IfElapsed (Table 2) ---

TEST_F(Decide, IfElapsedZeroIsNeverTooSoon) {
  view.has_room = true;
  for (std::int64_t ago : {0, 1, -1, 1'000'000}) {
    view.last.start = same_boot(ago);
    EXPECT_EQ(ask().verdict, Verdict::admit) << ago;
    EXPECT_FALSE(ask().last_in_future);
  }
}

TEST_F(Decide, IfElapsedIsOverAtItsEnd) {
  view.has_room = true;
  request.if_elapsed = Duration::seconds(60);
  for (auto stamp : {same_boot, other_boot}) {
    view.last.start = stamp(59);
    EXPECT_EQ(ask().verdict, Verdict::too_soon);
    EXPECT_EQ(ask().why, Why::none);
    EXPECT_EQ(ask().retry_in, Duration::seconds(1));
    view.last.start = stamp(0);
    EXPECT_EQ(ask().retry_in, Duration::seconds(60));
    view.last.start = stamp(60);
    EXPECT_EQ(ask().verdict, Verdict::admit);
    view.last.start = stamp(61);
    EXPECT_EQ(ask().verdict, Verdict::admit);
  }
  view.last.start = {};
  EXPECT_EQ(ask().verdict, Verdict::admit);
}

TEST_F(Decide, IfElapsedForeverAdmitsOnce) {
  view.has_room = true;
  request.if_elapsed = Duration::forever();
  EXPECT_EQ(ask().verdict, Verdict::admit);
  for (std::int64_t ago : {0, 1, -1, 1'000'000'000}) {
    view.last.start = other_boot(ago);
    EXPECT_EQ(ask().verdict, Verdict::too_soon) << ago;
    EXPECT_TRUE(ask().retry_in.is_forever());
  }
}

TEST_F(Decide, TooSoonDoesNotAskWhetherThereIsRoom) {
  request.if_elapsed = Duration::seconds(60);
  view.last.start = same_boot(1);
  for (bool room : {false, true}) {
    view.has_room = room;
    EXPECT_EQ(ask().verdict, Verdict::too_soon);
  }
}

TEST_F(Decide, ElapsedFromSaysWhichMomentCounts) {
  view.has_room = true;
  request.if_elapsed = Duration::seconds(60);
  view.last = {same_boot(100), same_boot(50), same_boot(200)};
  EXPECT_EQ(ask().verdict, Verdict::admit);
  request.elapsed_from = ElapsedFrom::finish;
  EXPECT_EQ(ask().verdict, Verdict::too_soon);
  EXPECT_EQ(ask().retry_in, Duration::seconds(10));
  request.elapsed_from = ElapsedFrom::success;
  EXPECT_EQ(ask().verdict, Verdict::admit);
  view.last = {same_boot(1), same_boot(1), {}};  // it never succeeded
  EXPECT_EQ(ask().verdict, Verdict::admit);
}

TEST_F(Decide, TheFutureCountsAsJustNowAndIsReported) {
  view.has_room = true;
  request.if_elapsed = Duration::seconds(60);
  for (auto stamp : {same_boot, other_boot}) {
    view.last.start = stamp(-1'000'000);
    EXPECT_EQ(ask().verdict, Verdict::too_soon);
    EXPECT_TRUE(ask().last_in_future);
    EXPECT_EQ(ask().retry_in, Duration::seconds(60));
  }
  view.last.start = {Duration::kForever, 0, false, true};
  EXPECT_EQ(ask().retry_in, Duration::seconds(60));
  view.last.start = same_boot(0);
  EXPECT_FALSE(ask().last_in_future);
}

TEST_F(Decide, WithinOneBootTheBootClockCounts) {
  view.has_room = true;
  request.if_elapsed = Duration::seconds(60);
  view.last.start = same_boot(59);
  view.last.start.real_ns =
      kNow.real_ns - 1'000'000 * kSecond;  // somebody has stepped the wall clock on
  EXPECT_EQ(ask().verdict, Verdict::too_soon);
  view.last.start.same_boot = false;
  EXPECT_EQ(ask().verdict, Verdict::admit);
}

TEST_F(Decide, AGivenTimeIsTakenByTheWallClock) {
  view.has_room = true;
  request.if_elapsed = Duration::seconds(60);
  view.last.start = same_boot(10);
  Instant given = {kNow.real_ns + 49 * kSecond, 0, true};
  EXPECT_EQ(ask(given).verdict, Verdict::too_soon);
  EXPECT_EQ(ask(given).retry_in, Duration::seconds(1));
  given.real_ns += kSecond;
  EXPECT_EQ(ask(given).verdict, Verdict::admit);
}

// --- What happens when it is busy ---

TEST_F(Decide, ReplacingIsTheLastResort) {
  lock.max = 2;
  hold({3, 8});
  request.on_busy = OnBusy::replace;
  EXPECT_EQ(ask().why, Why::no_slot);
  view.last_chance = true;
  EXPECT_EQ(victims(), Victims{2});
  view.held_by_ancestor = true;
  EXPECT_EQ(ask().why, Why::ancestor);
  view.held_by_ancestor = false;
  request.on_busy = OnBusy::fail;
  EXPECT_EQ(ask().why, Why::no_slot);
}

TEST_F(Decide, WhatIsOwedIsNotGivenAway) {
  view.has_room = true;
  view.waiters_ahead = 2;
  const Decision answer = ask();
  EXPECT_EQ(answer.verdict, Verdict::busy);
  EXPECT_EQ(answer.why, Why::owed);
  EXPECT_EQ(answer.waiters, 2u);
  view.joiner_waiting = true;
  EXPECT_EQ(ask().why, Why::owed);
  request.on_busy = OnBusy::join;
  EXPECT_EQ(ask().why, Why::joined);  // the runner is about to start
  view.waiters_ahead = 0;
  EXPECT_EQ(ask().verdict, Verdict::admit);
}

TEST_F(Decide, JoiningNeedsARunner) {
  request.on_busy = OnBusy::join;
  EXPECT_EQ(ask().why, Why::no_slot);
  view.joiner_waiting = true;
  EXPECT_EQ(ask().why, Why::joined);
  request.on_busy = OnBusy::fail;
  EXPECT_EQ(ask().why, Why::no_slot);
}

TEST_F(Decide, AFlockIsBusyAndStopsNobody) {
  lock.max = 2;
  view.held = 1;
  view.flocked = true;
  request.expire_after = Duration::seconds(0);
  EXPECT_EQ(ask().verdict, Verdict::busy);
  EXPECT_EQ(ask().why, Why::flock);
  view.held_by_ancestor = true;
  EXPECT_EQ(ask().why, Why::ancestor);
  request.if_elapsed = Duration::seconds(60);
  view.last.start = same_boot(1);
  EXPECT_EQ(ask().verdict, Verdict::too_soon) << "first of all, as ever";
}

TEST_F(Decide, OnlySomeAnswersAreWorthWaitingFor) {
  Decision answer;
  const auto worth = [&answer](Why why) {
    answer.why = why;
    return worth_waiting(answer);
  };
  for (Why why : {Why::no_slot, Why::owed, Why::drained, Why::taking_over, Why::immune, Why::flock})
    EXPECT_TRUE(worth(why));
  for (Why why : {Why::none, Why::zero, Why::ancestor, Why::joined, Why::guard, Why::survivor}) {
    EXPECT_FALSE(worth(why));
  }
  answer.verdict = Verdict::too_soon;
  EXPECT_FALSE(worth(Why::no_slot));
}

// Every combination of the Boolean facts.
TEST_F(Decide, EveryCombinationObeysTheRules) {
  request.if_elapsed = Duration::seconds(60);
  HolderView holder;
  holder.slot = 1;
  holder.start = same_boot(100);
  view.holders = {&holder, 1};
  view.held = 1;
  for (unsigned bits = 0; bits < 1u << 11; ++bits) {
    const auto bit = [bits](unsigned which) { return (bits >> which & 1) != 0; };
    lock.max = bit(0) ? 0 : 1;
    view.drained = bit(1);
    view.last.start = bit(2) ? same_boot(1) : same_boot(100);
    view.has_room = bit(3);
    view.waiters_ahead = bit(4) ? 1 : 0;
    view.held_by_ancestor = bit(5);
    view.takeover_running = bit(6);
    request.expire_after = bit(7) ? Duration::seconds(50) : Duration::forever();
    view.joiner_waiting = bit(8);
    view.last_chance = bit(9);
    request.on_busy = bit(10) ? OnBusy::replace : OnBusy::join;
    const Decision answer = ask();

    if (bit(0) || bit(1)) {
      EXPECT_EQ(answer.why, bit(0) ? Why::zero : Why::drained) << bits;
    } else if (bit(2)) {
      EXPECT_EQ(answer.verdict, Verdict::too_soon) << bits;
    } else if (bit(3)) {
      EXPECT_EQ(answer.verdict == Verdict::admit, !bit(4)) << bits;
    } else if (bit(5) || bit(6)) {
      EXPECT_EQ(answer.why, bit(5) ? Why::ancestor : Why::taking_over) << bits;
    } else if (bit(7) || (bit(10) && bit(9))) {
      EXPECT_EQ(answer.verdict, Verdict::take_over) << bits;
    } else {
      EXPECT_EQ(answer.why, !bit(10) && bit(8) ? Why::joined : Why::no_slot) << bits;
    }
    EXPECT_FALSE(answer.verdict == Verdict::admit && !view.has_room) << bits;
  }
}

}  // namespace
}  // namespace atmost::policy
