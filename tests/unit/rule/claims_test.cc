// Turns: waiters in front of a caller for which there is room.
#include "core/turn.h"
#include "judge_kit.h"

namespace atmost::rule {
namespace {

class Claimed : public Judge {
 protected:
  std::int64_t turn(std::size_t at) const {
    const Table::Queued& place = lock.places[at];
    return place.noted ? place.noted_boot_ns : -1;
  }
};

TEST_F(Claimed, ANewcomerIsBehindAllWaiters) {
  lock.wait(5, 1);
  EXPECT_EQ(ask().decision.why, Why::owed);
  EXPECT_EQ(decision.retry_in, kTurn);
  EXPECT_EQ(turn(0), kNow.boot_ns);
}

TEST_F(Claimed, AWaiterIsBehindThoseInFrontOfItAlone) {
  lock.wait(5, 1);
  lock.wait(6, 1);
  lock.wait(7, 1);
  draw(5);
  EXPECT_TRUE(ask(true).admits());
  draw(6);
  EXPECT_EQ(ask(true).decision.why, Why::owed);
  EXPECT_EQ(turn(1), -1);
  EXPECT_EQ(turn(2), -1);
}

TEST_F(Claimed, EachClaimsAsManySlotsAsItWants) {
  spec().max = 4;
  lock.wait(5, 4, 2);
  EXPECT_TRUE(ask().admits());
  lock.wait(6, 4, 2);
  EXPECT_EQ(ask().decision.why, Why::owed);
  EXPECT_EQ(decision.waiters, 2u);
}

// Its turn cannot begin: it waits for more than there is.
TEST_F(Claimed, TheFirstThatDoesNotFitKeepsAllOthersOut) {
  spec().max = 4;
  lock.hold({1, 2});
  lock.wait(5, 4, 3);
  lock.wait(6, 4, 1);
  EXPECT_EQ(ask().decision.why, Why::owed);
  EXPECT_TRUE(decision.retry_in.is_forever());
  EXPECT_EQ(turn(0), -1);
}

TEST_F(Claimed, ParkedEarlyAndOvertakenWaitersClaimNothing) {
  lock.wait(5, 1).parked = true;
  lock.wait(6, 1).due_boot_ns = after(1).boot_ns;
  lock.wait(7, 1).turn_boot_ns = kNow.boot_ns - kTurn.ns;
  EXPECT_TRUE(ask().admits());
  lock.places[1].waiter.due_boot_ns = kNow.boot_ns;
  EXPECT_EQ(ask().decision.why, Why::owed);
}

TEST_F(Claimed, ATurnThatRunsEndsWhenItEnds) {
  lock.wait(5, 1).turn_boot_ns = kNow.boot_ns - kTurn.ns / 4;
  EXPECT_EQ(ask().decision.retry_in.ns, kTurn.ns - kTurn.ns / 4);
  EXPECT_EQ(turn(0), -1);
}

TEST_F(Claimed, TurnsBehindOneThatEndedUnusedEndSoon) {
  lock.wait(5, 1).turn_boot_ns = kNow.boot_ns - kTurn.ns - kNextTurn.ns;
  lock.wait(6, 1);
  lock.wait(7, 1);
  EXPECT_EQ(ask().decision.retry_in, kNextTurn);
  EXPECT_EQ(turn(1), kNow.boot_ns - kTurn.ns);
  EXPECT_EQ(turn(2), -1);
  lock.facts.bell = 6;  // it was not called
  EXPECT_EQ(ask().decision.retry_in, kNextTurn);
  EXPECT_EQ(turn(1), kNow.boot_ns - kTurn.ns + kNextTurn.ns);
}

TEST_F(Claimed, APlainCallerIsBehindAWriterThatWasFirst) {
  lock.wait(5, kModeQueue).writer = true;
  EXPECT_EQ(ask().decision.why, Why::owed);
  EXPECT_EQ(turn(0), kNow.boot_ns);
  lock.places[0].waiter.writer = false;
  EXPECT_TRUE(ask().admits());
}

// The writer could not use a turn yet.
TEST_F(Claimed, AReaderInFrontOfTheWriterHasTheFirstTurn) {
  lock.wait(5, kModeQueue);
  lock.wait(6, kModeQueue).writer = true;
  EXPECT_EQ(ask().decision.why, Why::owed);
  EXPECT_EQ(turn(0), kNow.boot_ns);
  EXPECT_EQ(turn(1), -1);
}

TEST_F(Claimed, AWriterThatCouldNotComeHasNoTurn) {
  spec().max = 2;
  lock.hold({1});
  lock.wait(5, kModeQueue).writer = true;
  EXPECT_EQ(ask().decision.why, Why::owed);
  EXPECT_TRUE(decision.retry_in.is_forever());
  EXPECT_EQ(turn(0), -1);
}

TEST_F(Claimed, AnExclusiveCallerIsBehindTheFirstWaiterOfItsQueue) {
  spec().mode = Mode::exclusive;
  lock.wait(5, kModeQueue);
  EXPECT_EQ(ask().decision.why, Why::owed);
  EXPECT_EQ(turn(0), kNow.boot_ns);
}

// Else it gives its turn up at once, and wakes us, so that we begin it again.
TEST_F(Claimed, AReaderHasNoTurnThatItsOwnLimitDoesNotAllow) {
  spec().mode = Mode::shared;
  spec().max = 4;
  lock.wait(5, kModeQueue).max = 1;
  EXPECT_TRUE(ask().admits());
  EXPECT_EQ(turn(0), kNow.boot_ns);
  lock.hold({3});
  EXPECT_EQ(ask().decision.why, Why::owed);
  EXPECT_TRUE(decision.retry_in.is_forever());
  EXPECT_EQ(turn(0), -1);
  lock.holders.clear();
  lock.drained = {1};
  EXPECT_EQ(ask().decision.why, Why::owed);
  EXPECT_EQ(turn(0), -1);
}

TEST_F(Claimed, NorBesideAnotherReaderInFront) {
  spec().mode = Mode::shared;
  spec().max = 4;
  lock.wait(5, kModeQueue);
  lock.wait(6, kModeQueue).max = 1;
  EXPECT_EQ(ask().decision.why, Why::owed);
  EXPECT_EQ(decision.retry_in, kTurn);
  EXPECT_EQ(turn(0), kNow.boot_ns);
  EXPECT_EQ(turn(1), -1);
}

// The first one would use up the rate of the second.
TEST_F(Claimed, ATurnBehindAnotherRateBeginsWhenThatTurnIsOver) {
  spec().max = 2;
  lock.wait(5, 2).due_boot_ns = kNow.boot_ns - 1;
  lock.wait(6, 2).due_boot_ns = kNow.boot_ns - 1;
  EXPECT_EQ(ask().decision.why, Why::owed);
  EXPECT_EQ(decision.retry_in, kTurn);
  EXPECT_EQ(decision.waiters, 2u);
  EXPECT_EQ(turn(0), kNow.boot_ns);
  EXPECT_EQ(turn(1), -1);
  lock.places[0].waiter.turn_boot_ns = kNow.boot_ns - 2 * kTurn.ns;
  lock.facts.bell = 6;
  EXPECT_TRUE(ask().admits());
  EXPECT_EQ(turn(1), kNow.boot_ns - kTurn.ns + kNextTurn.ns);
}

TEST_F(Claimed, ADueWaiterWouldUseUpTheRateOfACallerThatHasOne) {
  spec().max = 4;
  lock.wait(5, 4).due_boot_ns = kNow.boot_ns - 1;
  EXPECT_TRUE(ask().admits());
  request.rate = {3, Duration::seconds(9)};
  EXPECT_EQ(ask().decision.why, Why::owed);
}

TEST_F(Claimed, ADrainedLockHasNoTurns) {
  lock.wait(5, 1);
  lock.state.drained = true;
  EXPECT_EQ(ask().decision.why, Why::drained);
  EXPECT_EQ(turn(0), -1);
}

TEST_F(Claimed, OwnTurnIsOverWhenItCouldNotBeUsed) {
  lock.hold({1});
  lock.wait(5, 1).turn_boot_ns = kNow.boot_ns - 1;
  draw(5);
  EXPECT_EQ(ask(true).decision.why, Why::no_slot);
  EXPECT_EQ(turn(0), 0);
}

// Without a slot the interval is asked first.
TEST_F(Claimed, OwnTurnsAreOverInAllLocksWhereAnIntervalRefuses) {
  request.lock_count = 2;
  request.if_elapsed = Duration::seconds(60);
  other.state.last.start = seconds_ago(10);
  lock.wait(5, 1).turn_boot_ns = kNow.boot_ns - 1;
  other.wait(5, 1).turn_boot_ns = kNow.boot_ns - 1;
  draw(5);
  EXPECT_EQ(ask(true).decision.verdict, Verdict::too_soon);
  EXPECT_EQ(decision.lock, 1u);
  EXPECT_EQ(turn(0), 0);
  EXPECT_TRUE(other.places[0].noted);
}

}  // namespace
}  // namespace atmost::rule
