// The order of waiters: events that break it, and events that nearly do.
#include "world/witness_kit.h"

namespace world {
namespace {

class Order : public Story {
 protected:
  void SetUp() override { comes(0, claim(1)); }
};

TEST_F(Order, WaitersComeAsTheyWereRefused) {
  waits(1, waiting(1));
  waits(2, waiting(1));
  leaves(0);
  runs(1);
  leaves(1);
  runs(2);
  EXPECT_KEPT();
}

TEST_F(Order, ALaterWaiterIsNotFirst) {
  waits(1, waiting(1));
  waits(2, waiting(1));
  leaves(0);
  runs(2);
  EXPECT_BROKEN("order");
}

TEST_F(Order, ANewcomerIsNotFirst) {
  waits(1, waiting(1));
  leaves(0);
  comes(2, claim(1));
  EXPECT_BROKEN("order");
}

TEST_F(Order, APausedWaiterMayLoseItsTurn) {
  waits(1, waiting(1));
  witness_.paused(now_, 1, now_ + 5 * kSecondNs);
  waits(2, waiting(1));
  leaves(0);
  queues(2);
  after(kSecondNs);
  runs(2);
  EXPECT_KEPT();
}

TEST_F(Order, AKilledWaiterHasNoPlace) {
  waits(1, waiting(1));
  waits(2, waiting(1));
  leaves(0);
  is_killed(1);
  runs(2);
  EXPECT_KEPT();
}

// The order of asking says nothing: the guard decides.
TEST_F(Order, IsThatOfTheGuard) {
  asks(1, waiting(1));
  asks(2, waiting(1));
  queues(2);
  queues(1);
  leaves(0);
  runs(2);
  EXPECT_KEPT();
}

TEST_F(Order, QueuesOfDifferentLimitsAreIndependent) {
  waits(1, waiting(1));
  comes(2, claim(2));
  EXPECT_KEPT();
}

TEST_F(Order, ANewcomerMayComeBesideAWaiterThatHasRoom) {
  comes(1, claim(3));
  comes(2, claim(3));
  waits(3, waiting(3));
  leaves(0);
  leaves(1);
  comes(4, claim(3));  // one slot is left for the waiter
  EXPECT_KEPT();
}

TEST_F(Order, AWaiterForSeveralSlotsIsNotPassed) {
  comes(1, claim(3));
  comes(2, claim(3));
  Claim two = waiting(3);
  two.run.take = 2;
  waits(3, two);
  leaves(0);
  comes(4, claim(3));
  EXPECT_BROKEN("order");
}

TEST_F(Order, OneThatWaitsForItsRateIsPassed) {
  Claim rated = waiting(1);
  rated.run.rate = 1;
  rated.run.on_too_soon = kWait;
  waits(1, rated);
  leaves(0);
  comes(2, claim(1));
  EXPECT_KEPT();
}

// A library with open descriptors takes the guard once in vain; its place is sure with its second
// refusal only.
TEST_F(Order, ALibraryMayAskTwiceAtFirst) {
  Claim library = waiting(1);
  library.kind = kLibrary;
  library.keeping = true;
  asks(1, library);
  takes_guard(1);
  drops_guard(1);
  waits(2, waiting(1));
  queues(1);
  leaves(0);
  runs(2);
  EXPECT_KEPT();
}

TEST_F(Order, ALibraryMayLoseItsTurnBehindOneThatClaimsNothing) {
  Claim both = waiting(1);
  both.run.also = 2;
  waits(1, both);
  Claim library = waiting(1);
  library.kind = kLibrary;
  waits(2, library);
  leaves(0);
  queues(2);
  after(kSecondNs);
  comes(3, claim(1));
  EXPECT_KEPT();
}

TEST_F(Order, ALibraryKeepsItsTurnOtherwise) {
  Claim library = waiting(1);
  library.kind = kLibrary;
  waits(2, library);
  leaves(0);
  comes(3, claim(1));
  EXPECT_BROKEN("order");
}

// A turn that it noted does not count: nobody else could decide.
TEST_F(Order, APauseInTheGuardUsesUpNoTurn) {
  waits(1, waiting(1));
  leaves(0);
  asks(2, claim(1));
  takes_guard(2);
  witness_.paused(now_, 2, now_ + 3 * kSecondNs);
  after(3 * kSecondNs);
  drops_guard(2);
  witness_.refused(now_, 2, 1, Refusal::owed);
  comes(3, claim(1));
  EXPECT_BROKEN("order");
}

TEST_F(Order, ATurnThatBeganBeforeAPauseInTheGuardMayBeOver) {
  waits(1, waiting(1));
  leaves(0);
  asks(2, claim(1));
  is_refused(2, Refusal::owed);
  asks(2, claim(1));
  takes_guard(2);
  witness_.paused(now_, 2, now_ + 3 * kSecondNs);
  after(3 * kSecondNs);
  drops_guard(2);
  witness_.refused(now_, 2, 1, Refusal::owed);
  comes(3, claim(1));
  EXPECT_KEPT();
}

// When the waiter has asked again, its turn begins anew.
TEST_F(Order, UnlessTheWaiterAskedSince) {
  waits(1, waiting(1));
  leaves(0);
  asks(2, claim(1));
  is_refused(2, Refusal::owed);
  queues(1);
  asks(2, claim(1));
  takes_guard(2);
  witness_.paused(now_, 2, now_ + 3 * kSecondNs);
  after(3 * kSecondNs);
  drops_guard(2);
  witness_.refused(now_, 2, 1, Refusal::owed);
  comes(3, claim(1));
  EXPECT_BROKEN("order");
}

// Nobody that it waits behind was passed over.
TEST_F(Order, ALibraryKeepsItsTurnBesideAPauseElsewhere) {
  Claim spaced = waiting(1);
  spaced.run.if_elapsed_ns = 300 * kMs;
  waits(1, spaced);
  Claim library = waiting(1);
  library.kind = kLibrary;
  waits(2, library);
  witness_.paused(now_, 9, now_ + 60 * kSecondNs);
  leaves(0);
  comes(3, claim(1));
  EXPECT_BROKEN("order");
}

// The turns of those behind a paused one follow its own.
TEST_F(Order, BehindAnotherWaiterATurnMayBeOverSooner) {
  waits(1, waiting(1));
  waits(2, waiting(1));
  witness_.paused(now_, 1, now_ + 60 * kSecondNs);
  leaves(0);
  asks(4, claim(1));
  takes_guard(4);
  witness_.paused(now_, 4, now_ + 3 * kSecondNs);
  after(3 * kSecondNs);
  drops_guard(4);
  witness_.refused(now_, 4, 1, Refusal::owed);
  after(kSecondNs);
  comes(3, claim(1));
  EXPECT_KEPT();
}

// The holder of the guard may have seen a waiter that is killed before the guard is given back.
TEST_F(Order, AlsoBehindOneThatIsKilledMeanwhile) {
  waits(1, waiting(1));
  witness_.paused(now_, 1, now_ + 60 * kSecondNs);
  leaves(0);
  asks(4, claim(1));
  is_refused(4, Refusal::owed);
  after(kSecondNs);
  waits(2, waiting(1));
  witness_.paused(now_, 2, now_ + 60 * kSecondNs);
  asks(3, claim(1));
  takes_guard(3);
  is_killed(1);
  runs(3);
  EXPECT_KEPT();
}

// Without its place it stands behind those that came after it, and may note their turns.
TEST_F(Order, ForItsLastAskACallerGivesUpItsPlace) {
  waits(1, waiting(1, kSecondNs));
  waits(2, waiting(1));
  witness_.paused(now_, 2, now_ + 60 * kSecondNs);
  after(kSecondNs);
  leaves(0);
  changes(1, {});
  is_refused(1, Refusal::owed);
  after(kSecondNs);
  comes(3, claim(1));
  EXPECT_KEPT();
}

TEST_F(Order, ATurnLastsASecondAlsoOfAPausedWaiter) {
  waits(1, waiting(1));
  witness_.paused(now_, 1, now_ + 60 * kSecondNs);
  leaves(0);
  after(kSecondNs);
  comes(2, claim(1));
  EXPECT_BROKEN("order");
}

// The first look that finds room for it begins its turn.
TEST_F(Order, ATurnBeginsWithALookAtRoom) {
  waits(1, waiting(1));
  witness_.paused(now_, 1, now_ + 60 * kSecondNs);
  waits(2, waiting(1));
  queues(2);
  after(kSecondNs);
  leaves(0);
  runs(2);
  EXPECT_BROKEN("order");
}

// It is due, and would use up the rate of the newcomer.
TEST_F(Order, ARateIsForTheFirstThatIsDue) {
  Claim rated = claim(3);
  rated.run.rate = 1;
  rated.run.window_ns = 300 * kMs;
  rated.run.on_too_soon = kWait;
  leaves(0);
  after(400 * kMs);
  comes(3, rated);
  waits(1, rated);
  witness_.paused(now_, 1, now_ + 60 * kSecondNs);
  after(400 * kMs);
  comes(2, rated);
  EXPECT_BROKEN("order");
}

TEST_F(Order, ATurnMayBeginAMillisecondBeforeTheRateAllowsIt) {
  Claim rated = claim(3);
  rated.run.rate = 1;
  rated.run.window_ns = 300 * kMs;
  rated.run.on_too_soon = kWait;
  leaves(0);
  after(400 * kMs);
  comes(3, rated);
  waits(1, rated);
  witness_.paused(now_, 1, now_ + 60 * kSecondNs);
  after(300 * kMs - kMs / 2);
  asks(2, claim(3));
  is_refused(2, Refusal::owed);
  after(kSecondNs);
  comes(2, rated);
  EXPECT_KEPT();
}

// It is too early, will not wait for that, and has yet to leave; or its time is over before.
TEST_F(Order, OneWhoseAnswerIsFinalClaimsNothing) {
  Claim rated = waiting(1);
  rated.run.rate = 1;
  rated.run.window_ns = 50 * kMs;
  waits(1, rated);
  witness_.paused(now_, 1, now_ + 60 * kSecondNs);
  rated.run.on_too_soon = kWait;
  rated.run.wait_ns = 20 * kMs;
  waits(2, rated);
  witness_.paused(now_, 2, now_ + 60 * kSecondNs);
  leaves(0);
  after(kSecondNs);
  comes(3, claim(1));
  EXPECT_KEPT();
}

TEST_F(Order, ANewcomerWithoutARatePasses) {
  Claim rated = claim(3);
  rated.run.rate = 1;
  rated.run.window_ns = 300 * kMs;
  rated.run.on_too_soon = kWait;
  leaves(0);
  after(400 * kMs);
  comes(3, rated);
  waits(1, rated);
  witness_.paused(now_, 1, now_ + 60 * kSecondNs);
  after(400 * kMs);
  comes(2, claim(3));
  EXPECT_KEPT();
}

// The second lock refuses it, so it claims nothing in the first one.
TEST_F(Order, OneForSeveralLocksClaimsWhereItIsRefused) {
  Claim both = waiting(1);
  both.run.also = 2;
  asks(4, claim(1));
  claims_[4].run.lock = 2;
  witness_.asks(now_, 4, claims_[4]);
  enters(4, 2);
  leaves(0);
  asks(1, both);
  takes_guard(1, 1);
  takes_guard(1, 2);
  for (const int lock : {1, 2}) {
    Holding held = held_by(1, lock);
    held.places = 1;
    changes(1, held, lock);
    drops_guard(1, lock);
  }
  witness_.paused(now_, 1, now_ + 60 * kSecondNs);
  comes(2, claim(1));
  EXPECT_KEPT();
  witness_.releases(now_, 4, kSucceeds);
  changes(4, {}, 2);
  witness_.released(now_, 4);
  Claim second = claim(1);
  second.run.lock = 2;
  asks(5, second);
  enters(5, 2);
  EXPECT_BROKEN("order");
}

// It ran late, so its time began late; its place is behind those that were refused before.
TEST_F(Order, ACallerThatRunsLateHasItsPlaceFromItsRefusalOn) {
  asks(1, waiting(1, kMs));
  after(2 * kMs);
  queues(1);
  waits(2, waiting(1));
  leaves(0);
  runs(1);
  EXPECT_KEPT();
}

// A caller whose queue may be full is told so before it waits.
TEST_F(Order, ACallerThatMayNotQueueHasNoPlaceAtFirst) {
  Claim few = waiting(1);
  few.run.queue_max = 1;
  asks(1, few);
  takes_guard(1);
  drops_guard(1);
  leaves(0);
  comes(2, claim(1));
  EXPECT_KEPT();
}

TEST_F(Order, AReplacedWaiterGivesUpItsPlace) {
  Claim newest = waiting(1);
  newest.run.on_busy = kSupersede;
  waits(1, newest);
  waits(2, newest);
  leaves(0);
  runs(2);
  EXPECT_KEPT();
}

class Modes : public Story {};

TEST_F(Modes, AWaitingWriterHoldsReadersBack) {
  comes(0, in_mode(kShared));
  waits(1, in_mode(kExclusive));
  comes(2, in_mode(kShared));
  EXPECT_BROKEN("order");
}

TEST_F(Modes, AWaitingReaderHoldsNoReaderBack) {
  comes(0, in_mode(kExclusive));
  waits(1, in_mode(kShared));
  leaves(0);
  comes(2, in_mode(kShared));
  EXPECT_KEPT();
}

TEST_F(Modes, AWaitingReaderHoldsWritersBack) {
  comes(0, in_mode(kExclusive));
  waits(1, in_mode(kShared));
  leaves(0);
  comes(2, in_mode(kExclusive));
  EXPECT_BROKEN("order");
}

}  // namespace
}  // namespace world
