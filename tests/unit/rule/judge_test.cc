// Facts in, plan out.
#include "judge_kit.h"

namespace atmost::rule {
namespace {

std::vector<std::uint32_t> taken(const TestLock& lock) {
  const auto slots = lock.facts.reserved().first(lock.facts.plan.take);
  return {slots.begin(), slots.end()};
}

TEST_F(Judge, TheLowestOpenSlotsAreTaken) {
  spec().max = 5;
  spec().take = 2;
  lock.hold({1});
  lock.drained = {3};
  EXPECT_TRUE(ask().admits());
  EXPECT_EQ(taken(lock), (std::vector<std::uint32_t>{2, 4}));
  EXPECT_TRUE(lock.facts.plan.changed);
  EXPECT_EQ(lock.facts.plan.state.token, lock.facts.plan.held.token);
  EXPECT_EQ(age_ns(lock.facts.plan.state.last.start, kNow), 0);
}

TEST_F(Judge, NeverMoreThanTheLimitWhereverTheyAreHeld) {
  spec().max = 2;
  lock.hold({4, 9});
  EXPECT_EQ(ask().decision.why, Why::no_slot);
  EXPECT_EQ(decision.held, 2u);
  lock.holders.pop_back();
  EXPECT_TRUE(ask().admits());
  EXPECT_EQ(taken(lock), (std::vector<std::uint32_t>{1}));
}

TEST_F(Judge, AnExclusiveCallerWantsAllOfIt) {
  spec().mode = Mode::exclusive;
  spec().max = 3;
  lock.hold({7});
  EXPECT_EQ(ask().decision.why, Why::no_slot);
  EXPECT_EQ(decision.held, 1u);
  lock.holders.clear();
  lock.drained = {1};
  EXPECT_TRUE(ask().admits());
  EXPECT_EQ(taken(lock), (std::vector<std::uint32_t>{1}));
}

TEST_F(Judge, NobodyFitsBesideAnExclusiveHolder) {
  spec().max = 3;
  lock.hold({1});
  lock.writer = true;
  EXPECT_EQ(ask().decision.why, Why::no_slot);
  EXPECT_TRUE(decision.writer_inside);
}

TEST_F(Judge, ARefusalChangesNothing) {
  lock.hold({1});
  EXPECT_EQ(ask().step, QueueStep::stay);
  EXPECT_FALSE(lock.facts.plan.changed);
  EXPECT_FALSE(lock.facts.any_noted());
}

TEST_F(Judge, ACallerThatWaitsDrawsAPlaceOnceAndLeavesItAtItsAdmission) {
  lock.hold({1});
  EXPECT_EQ(ask(true).step, QueueStep::draw);
  EXPECT_EQ(plan->claims_in, 0u);
  lock.wait(5, 1);
  draw(5);
  ticket.claims_in = 0;
  EXPECT_EQ(ask(true).step, QueueStep::stay);
  EXPECT_FALSE(plan->place_changed);
  lock.holders.clear();
  EXPECT_EQ(ask(true).step, QueueStep::leave);
}

TEST_F(Judge, BesideAForeignLockNoPlaceIsDrawn) {
  lock.foreign = Foreign{true, false, 77};
  EXPECT_EQ(ask(true).step, QueueStep::stay);
  EXPECT_EQ(decision.why, Why::foreign);
  EXPECT_TRUE(decision.foreign_whole);
  EXPECT_EQ(decision.culprit, 77);
  lock.foreign->own_tree = true;
  EXPECT_EQ(ask(true).decision.why, Why::ancestor);
}

TEST_F(Judge, APlaceClaimsInTheLockThatRefusedAlone) {
  request.lock_count = 2;
  other.hold({1});
  EXPECT_EQ(ask(true).step, QueueStep::draw);
  EXPECT_EQ(plan->claims_in, 1u);
  EXPECT_EQ(plan->lock_count, 2u);
  EXPECT_FALSE(lock.facts.plan.changed);
}

TEST_F(Judge, APlaceClaimsNothingUntilAnIntervalIsOver) {
  request.if_elapsed = Duration::seconds(60);
  lock.state.last.start = seconds_ago(10);
  lock.wait(5, 1);
  draw(5);
  ticket.claims_in = 0;
  EXPECT_EQ(ask(true).claims_in, Ticket::kNowhere);
  EXPECT_TRUE(plan->place_changed);
}

TEST_F(Judge, AFinalAnswerLeavesThePlaceWhereItWas) {
  request.lock_count = 2;
  request.on_busy = OnBusy::supersede;
  other.hold({1});
  draw(5);
  ticket.claims_in = 1;
  lock.wait(5, 1);
  other.wait(5, 1);
  lock.state.superseding = 7;
  EXPECT_EQ(ask(true).decision.why, Why::superseded);
  EXPECT_EQ(decision.lock, 0u);
  EXPECT_EQ(plan->claims_in, 1u);
  EXPECT_FALSE(plan->place_changed);
}

TEST_F(Judge, APlaceSaysUntilWhenItsRateRefusesIt) {
  request.rate = {1, Duration::seconds(60)};
  request.on_too_soon = OnTooSoon::wait;
  lock.state.last.start = seconds_ago(10);
  EXPECT_EQ(ask(true).step, QueueStep::draw);
  EXPECT_EQ(plan->due_boot_ns, after(50 * kSecond).boot_ns);
  EXPECT_EQ(plan->claims_in, 0u);
  draw(5);
  ticket.claims_in = 0;
  ticket.due_boot_ns = plan->due_boot_ns;
  EXPECT_FALSE(ask(true, after(kSecond)).place_changed);
}

TEST_F(Judge, TheFirstCallerWithARateBeginsTheRing) {
  lock.state.last.start = seconds_ago(10);
  EXPECT_TRUE(ask().admits());
  EXPECT_EQ(lock.facts.plan.appended_count, 0u);
  request.rate = {2, Duration::seconds(60)};
  EXPECT_TRUE(ask().admits());
  EXPECT_EQ(lock.facts.plan.appended_count, 2u);
  lock.apply(kNow);
  EXPECT_EQ(lock.state.recorded, 2u);
  EXPECT_EQ(ask().decision.verdict, Verdict::too_soon);
  EXPECT_EQ(decision.retry_in, Duration::seconds(50));
  request.rate = {};
  EXPECT_TRUE(ask().admits());
  EXPECT_EQ(lock.facts.plan.appended_count, 1u);
}

TEST_F(Judge, ATornEntryOfTheRingCountsAsTheNextOne) {
  request.rate = {2, Duration::seconds(60)};
  lock.state.recorded = 2;
  lock.state.last.start = seconds_ago(20);
  lock.ring = {Stamp{}, seconds_ago(20)};
  EXPECT_EQ(ask().decision.retry_in, Duration::seconds(40));
}

TEST_F(Judge, MomentsAheadOfTheClockAreMended) {
  request.if_elapsed = Duration::seconds(60);
  lock.state.last.start = seconds_ago(-30);
  lock.state.last.success = seconds_ago(40);
  EXPECT_EQ(ask().decision.verdict, Verdict::too_soon);
  EXPECT_TRUE(decision.last_in_future);
  EXPECT_TRUE(lock.facts.plan.mends);
  EXPECT_EQ(age_ns(lock.facts.plan.state.last.start, kNow), 0);
  EXPECT_EQ(age_ns(lock.facts.plan.state.last.success, kNow), 40 * kSecond);
  request.now_boot_ns = kNow.boot_ns;
  (void)ask();
  EXPECT_FALSE(lock.facts.plan.changed);
}

TEST_F(Judge, SlotsThatAreTakenOverAreClosedToNewcomersAlone) {
  spec().max = 2;
  lock.hold({1});
  lock.taken_over = {2};
  EXPECT_EQ(ask().decision.why, Why::taking_over);
  lock.wait(5, 2);
  draw(5);
  EXPECT_TRUE(ask(true).admits());
}

TEST_F(Judge, AWaiterJoinsOneThatStandsBeforeIt) {
  request.on_busy = OnBusy::join;
  lock.hold({1});
  lock.wait(5, 1);
  lock.places[0].joins = true;
  EXPECT_EQ(ask(true).decision.why, Why::joined);
  lock.wait(4, 1);
  draw(4);
  EXPECT_EQ(ask(true).decision.why, Why::no_slot);
  lock.places[0].waiter.turn_boot_ns = 1;  // long overtaken
  EXPECT_EQ(ask().decision.why, Why::no_slot);
}

TEST_F(Judge, ALaterWaiterSupersedes) {
  request.on_busy = OnBusy::supersede;
  lock.hold({1});
  lock.wait(5, 1);
  draw(5);
  lock.state.superseding = 5;
  EXPECT_EQ(ask(true).decision.why, Why::no_slot);
  lock.state.superseding = 6;
  EXPECT_EQ(ask(true).decision.why, Why::superseded);
}

TEST_F(Judge, ACallerBesideEnoughWaitersDoesNotQueue) {
  request.queue_max = 1;
  lock.hold({1});
  EXPECT_EQ(ask(true).step, QueueStep::draw);
  lock.wait(5, 1);
  EXPECT_EQ(ask(true).decision.why, Why::queue_full);
  EXPECT_EQ(plan->step, QueueStep::stay);
}

TEST_F(Judge, AnAncestorIsLookedForBeforeAWaitAndInANest) {
  lock.hold({1});
  lock.facts.own_tree = true;
  EXPECT_EQ(ask().decision.why, Why::no_slot);
  EXPECT_EQ(ask(true).decision.why, Why::ancestor);
  draw(5);
  EXPECT_EQ(ask(true).decision.why, Why::no_slot);
  request.nested = true;
  EXPECT_EQ(ask(true).decision.why, Why::ancestor);
}

TEST_F(Judge, RunStopsHoldersWhoseSupervisorsWereKilled) {
  lock.hold({1});
  lock.holders[0].supervisor_died = true;
  lock.holders[0].max_runtime = Duration::seconds(5);
  lock.holders[0].start = seconds_ago(9);
  lock.holders[0].left_by = 77;
  EXPECT_EQ(ask().decision.verdict, Verdict::take_over);
  request.kind = HolderKind::library;
  EXPECT_EQ(ask().decision.verdict, Verdict::busy);
}

TEST_F(Judge, AFlockIsTakenLastAndItsRefusalAdmitsNobody) {
  request.with_flock = true;
  EXPECT_TRUE(ask().admits());
  lock.facts.flocked = Flock::other;
  EXPECT_EQ(ask(true).decision.why, Why::flock);
  EXPECT_EQ(plan->step, QueueStep::draw);
  EXPECT_FALSE(lock.facts.plan.changed);
  lock.facts.flocked = Flock::own_tree;
  EXPECT_EQ(ask(true).decision.why, Why::ancestor);
}

TEST_F(Judge, AFactThatCannotBeHadAdmitsNobody) {
  breaks = true;
  EXPECT_FALSE(ask(true).admits());
  ASSERT_NE(plan->failed, nullptr);
  EXPECT_EQ(plan->failed->error().code, Code::io);
  EXPECT_EQ(plan->step, QueueStep::stay);
  EXPECT_EQ(decision.verdict, Verdict::busy);
  EXPECT_FALSE(lock.facts.plan.changed);
}

TEST_F(Judge, LimitsAreThoseOfTheFirstLock) {
  request.lock_count = 2;
  request.if_elapsed = Duration::seconds(7);
  EXPECT_TRUE(ask().admits());
  EXPECT_EQ(decision.limits.if_elapsed, Duration::seconds(7));
  EXPECT_TRUE(lock.facts.plan.changed);
  EXPECT_TRUE(other.facts.plan.changed);
}

}  // namespace
}  // namespace atmost::rule
