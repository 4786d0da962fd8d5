// Room that nobody uses, and room that may stay unused for a while.
#include "world/witness_kit.h"

namespace world {
namespace {

class Idle : public Story {
 protected:
  void SetUp() override { comes(0, claim(1)); }
};

TEST_F(Idle, RoomIsUsedAtOnce) {
  waits(1, waiting(1));
  leaves(0);
  after(100 * kMs);
  EXPECT_BROKEN("idle");
}

TEST_F(Idle, WithinTheTimeOfAHandover) {
  waits(1, waiting(1));
  leaves(0);
  after(50 * kMs);
  runs(1);
  after(60 * kSecondNs);
  EXPECT_KEPT();
}

TEST_F(Idle, AWaiterThatMissedAnEventLooksAfterASecond) {
  waits(1, waiting(1));
  witness_.disturbed(now_, 1);
  leaves(0);
  after(kSecondNs + 100 * kMs);
  runs(1);
  EXPECT_KEPT();
}

// The one behind it notices that after a quarter of a second at most.
TEST_F(Idle, BehindOnePausedWaiterATurnMayPass) {
  waits(1, waiting(1));
  waits(2, waiting(1));
  witness_.paused(now_, 1, now_ + 60 * kSecondNs);
  leaves(0);
  after(1250 * kMs);
  EXPECT_KEPT();
  after(100 * kMs);
  EXPECT_BROKEN("idle");
}

TEST_F(Idle, BehindSeveralTwoTurnsMayPass) {
  waits(1, waiting(1));
  waits(2, waiting(1));
  waits(3, waiting(1));
  witness_.paused(now_, 1, now_ + 60 * kSecondNs);
  witness_.paused(now_, 2, now_ + 60 * kSecondNs);
  leaves(0);
  queues(3);
  after(2 * kSecondNs);
  runs(3);
  EXPECT_KEPT();
}

TEST_F(Idle, ThreeMayNot) {
  waits(1, waiting(1));
  waits(2, waiting(1));
  waits(3, waiting(1));
  witness_.paused(now_, 1, now_ + 60 * kSecondNs);
  witness_.paused(now_, 2, now_ + 60 * kSecondNs);
  leaves(0);
  after(5 * kSecondNs);
  EXPECT_BROKEN("idle");
}

// Far behind when it last counted, it looks by itself after three quarters of a second.
TEST_F(Idle, AProgramOfTheLibraryBehindOneNoticesItLater) {
  Claim library = waiting(1);
  library.kind = kLibrary;
  waits(1, waiting(1));
  waits(2, library);
  witness_.paused(now_, 1, now_ + 60 * kSecondNs);
  leaves(0);
  after(3 * kSecondNs);
  EXPECT_KEPT();
  after(2 * kSecondNs);
  EXPECT_BROKEN("idle");
}

TEST_F(Idle, OnlyBesideAWaiterThatRuns) {
  waits(1, waiting(1));
  witness_.paused(now_, 1, now_ + 60 * kSecondNs);
  leaves(0);
  after(59 * kSecondNs);
  EXPECT_KEPT();
  after(5 * kSecondNs);
  EXPECT_BROKEN("idle");
}

TEST_F(Idle, NobodyDecidesWhileTheGuardIsPaused) {
  waits(1, waiting(1));
  leaves(0);
  asks(2, claim(1));
  takes_guard(2);
  witness_.paused(now_, 2, now_ + 60 * kSecondNs);
  after(59 * kSecondNs);
  EXPECT_KEPT();
}

// The one that it had called looks after a quarter of a second.
TEST_F(Idle, BehindAKilledWaiterTheNextLooksSoon) {
  waits(1, waiting(1));
  waits(2, waiting(1));
  is_killed(1);
  leaves(0);
  after(300 * kMs);
  EXPECT_KEPT();
  after(100 * kMs);
  EXPECT_BROKEN("idle");
}

// A holder that came later has called nobody that was killed.
TEST_F(Idle, AReleaseCallsTheFirstThatLives) {
  waits(1, waiting(1));
  is_killed(1);
  leaves(0);
  comes(3, claim(1));
  waits(2, waiting(1));
  leaves(3);
  after(100 * kMs);
  EXPECT_BROKEN("idle");
}

// The waiters that the holder and the head had called may have been killed with them.
TEST_F(Idle, BehindKilledWaitersLooksAreFurtherApart) {
  waits(1, waiting(1));
  waits(2, waiting(1));
  waits(3, waiting(1));
  is_killed(1);
  is_killed(2);
  leaves(0);
  after(2 * kSecondNs);
  EXPECT_KEPT();
  after(3 * kSecondNs);
  EXPECT_BROKEN("idle");
}

// A paused holder that got a signal to end still has its slot.
TEST_F(Idle, AHeldSlotIsNoRoom) {
  waits(1, waiting(1));
  witness_.releases(now_, 0, kSucceeds);
  after(5 * kSecondNs);
  EXPECT_KEPT();
}

// A wish for two slots is not met by one.
TEST_F(Idle, OnlyTheFirstOfAQueueHasAClaim) {
  comes(1, claim(2));
  Claim two = waiting(2);
  two.run.take = 2;
  waits(2, two);
  waits(3, waiting(2));
  leaves(0);
  after(5 * kSecondNs);
  EXPECT_KEPT();
}

TEST_F(Idle, APausedWaiterForMoreThanIsFreeIsNotPassed) {
  comes(1, claim(2));
  Claim two = waiting(2);
  two.run.take = 2;
  waits(2, two);
  waits(3, waiting(2));
  witness_.paused(now_, 2, now_ + 60 * kSecondNs);
  leaves(0);
  after(20 * kSecondNs);
  EXPECT_KEPT();
  leaves(1);
  after(5 * kSecondNs);
  EXPECT_BROKEN("idle");
}

TEST_F(Idle, ASlotThatIsReservedInADecisionIsRoom) {
  waits(1, waiting(1));
  leaves(0);
  for (int i = 0; i < 20; ++i) {
    asks(2, claim(1));
    takes_guard(2);
    changes(2, {.guard = true, .slots = 1, .which = 1});
    changes(2, {.guard = true});
    drops_guard(2);
    witness_.refused(now_, 2, 1, Refusal::owed);
    after(100 * kMs);
  }
  EXPECT_BROKEN("idle");
}

// A library whose descriptors are open takes the guard once before it queues.
TEST_F(Idle, AWriterThatQueuedMeanwhileIsInFront) {
  Claim library = waiting(2);
  library.kind = kLibrary;
  library.keeping = true;
  asks(1, library);
  takes_guard(1);
  drops_guard(1);
  waits(2, in_mode(kExclusive));
  queues(1);
  after(200 * kMs);
  EXPECT_KEPT();
}

// Each pause costs two turns, and no more.
TEST_F(Idle, PausesCostTwoTurnsInAll) {
  waits(1, waiting(1));
  witness_.paused(now_, 1, now_ + 600 * kSecondNs);
  for (int i = 2; i < 8; ++i) {
    waits(i, waiting(1));
    leaves(i == 2 ? 0 : i - 1);
    queues(i);
    after(1100 * kMs);
    runs(i);
  }
  EXPECT_BROKEN("turns");
}

class Work : public Story {
 protected:
  void SetUp() override {
    comes(0, claim(1));
    waits(1, waiting(1));
  }
  void ask_in_vain(int times) {
    for (int i = 0; i < times; ++i) queues(1);
  }
};

TEST_F(Work, NobodyAsksAgainAndAgainWhereNothingChanges) {
  ask_in_vain(51);
  EXPECT_BROKEN("work");
}

TEST_F(Work, WhereCallersComeAndGoWaitersAsk) {
  for (int i = 0; i < 10; ++i) {
    ask_in_vain(20);
    asks(2, claim(1));
    is_refused(2, Refusal::no_slot);
  }
  EXPECT_KEPT();
}

// A waiter for two locks asks at both when something happens at one.
TEST_F(Work, WhatHappensAtAnotherLockCounts) {
  Claim elsewhere = claim(1);
  elsewhere.run.lock = 2;
  for (int i = 0; i < 10; ++i) {
    ask_in_vain(20);
    asks(2, elsewhere);
    is_refused(2, Refusal::no_slot);
  }
  EXPECT_KEPT();
}

TEST_F(Work, NowAndThenTheyAskInAnyCase) {
  for (int i = 0; i < 200; ++i) {
    after(100 * kMs);
    ask_in_vain(1);
  }
  EXPECT_KEPT();
}

}  // namespace
}  // namespace world
