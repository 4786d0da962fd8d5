// Promises about answers: events that break them, and events that nearly do.
#include "world/witness_kit.h"

namespace world {
namespace {

class Answers : public Story {
 protected:
  void SetUp() override { comes(0, claim(1)); }
};

TEST_F(Answers, NobodyIsRefusedBeforeItsTime) {
  waits(1, waiting(1, kSecondNs));
  after(kSecondNs - 1);
  is_refused(1, Refusal::no_slot);
  EXPECT_BROKEN("early");
}

TEST_F(Answers, ARefusalAtItsTimeIsRight) {
  waits(1, waiting(1, kSecondNs));
  after(kSecondNs);
  is_refused(1, Refusal::no_slot);
  EXPECT_KEPT();
}

TEST_F(Answers, NobodyWaitsForLongerThanItAsked) {
  waits(1, waiting(1, kSecondNs));
  after(kSecondNs + 100 * kMs);
  EXPECT_BROKEN("late");
}

TEST_F(Answers, BehindAPausedGuardTheAnswerComesLater) {
  asks(2, claim(1));
  takes_guard(2);
  witness_.paused(now_, 2, now_ + 60 * kSecondNs);
  asks(1, claim(1));
  after(5 * kSecondNs);
  EXPECT_KEPT();
  after(8 * kSecondNs);
  EXPECT_BROKEN("late");
}

TEST_F(Answers, APausedCallerAnswersLate) {
  waits(1, waiting(1, kSecondNs));
  witness_.paused(now_, 1, now_ + 9 * kSecondNs);
  after(8 * kSecondNs);
  EXPECT_KEPT();
}

TEST_F(Answers, TheGuardIsMissedOnlyBehindAPause) {
  asks(1, claim(1));
  witness_.refused(now_, 1, 1, Refusal::guard);
  EXPECT_BROKEN("guard");
}

TEST_F(Answers, TheGuardIsMissedBehindAPause) {
  asks(2, claim(1));
  takes_guard(2);
  witness_.paused(now_, 2, now_ + 9 * kSecondNs);
  asks(1, claim(1));
  after(5 * kSecondNs);
  witness_.refused(now_, 1, 1, Refusal::guard);
  EXPECT_KEPT();
}

// A caller that takes two locks has one guard while it waits for the other.
TEST_F(Answers, TheGuardIsMissedBehindAPauseAtAnotherLock) {
  Claim other = claim(1);
  other.run.lock = 2;
  asks(2, other);
  takes_guard(2, 2);
  witness_.paused(now_, 2, now_ + 9 * kSecondNs);
  asks(1, claim(1));
  after(5 * kSecondNs);
  witness_.refused(now_, 1, 1, Refusal::guard);
  EXPECT_KEPT();
}

TEST_F(Answers, ACallerWithoutAHoldIsNotItsAncestor) {
  asks(1, waiting(1));
  is_refused(1, Refusal::ancestor);
  EXPECT_BROKEN("refused");
}

TEST_F(Answers, NobodyIsRefusedBesideRoom) {
  leaves(0);
  asks(1, claim(1));
  is_refused(1, Refusal::no_slot);
  EXPECT_BROKEN("refused");
}

// It was full when the guard was taken.
TEST_F(Answers, RoomThatCameLaterDoesNotCount) {
  asks(1, claim(1));
  takes_guard(1);
  changes(0, {});
  drops_guard(1);
  witness_.refused(now_, 1, 1, Refusal::no_slot);
  EXPECT_KEPT();
}

TEST_F(Answers, AQueueIsFullOfWaiters) {
  Claim few = waiting(1);
  few.run.queue_max = 2;
  waits(1, waiting(1));
  asks(2, few);
  is_refused(2, Refusal::queue_full);
  EXPECT_BROKEN("queue");
}

TEST_F(Answers, AnErrorHasACause) {
  asks(1, claim(1));
  witness_.failed(now_, 1, "the file cannot be read");
  EXPECT_BROKEN("error");
}

TEST_F(Answers, AFullDiskIsACause) {
  asks(1, claim(1));
  witness_.disturbed(now_, 1);
  witness_.failed(now_, 1, "no space");
  EXPECT_KEPT();
}

TEST_F(Answers, NobodyQueuesBehindMoreThanItWould) {
  Claim few = waiting(1);
  few.run.queue_max = 1;
  waits(1, in_mode(kExclusive));
  waits(2, few);
  EXPECT_BROKEN("queue");
}

TEST_F(Answers, ACallerInTheQueueStaysThere) {
  Claim few = waiting(1);
  few.run.queue_max = 1;
  waits(2, few);
  waits(1, waiting(1));
  queues(2);
  EXPECT_KEPT();
}

TEST_F(Answers, AQueueIsFullOfWaitersOfAnyLimit) {
  Claim few = waiting(1);
  few.run.queue_max = 2;
  comes(5, claim(2));
  waits(1, waiting(1));
  waits(3, waiting(2));
  asks(2, few);
  is_refused(2, Refusal::queue_full);
  EXPECT_KEPT();
}

TEST_F(Answers, SomebodyRunsForThoseWhoJoin) {
  Claim joins = waiting(1);
  joins.run.on_busy = kJoin;
  waits(1, waiting(1));
  asks(2, joins);
  is_refused(2, Refusal::joined);
  EXPECT_BROKEN("join");
}

TEST_F(Answers, AJoinedCallerIsRunFor) {
  Claim joins = waiting(1);
  joins.run.on_busy = kJoin;
  waits(1, joins);
  asks(2, joins);
  is_refused(2, Refusal::joined);
  EXPECT_KEPT();
}

TEST_F(Answers, OnlyALaterOneReplaces) {
  Claim newest = waiting(1);
  newest.run.on_busy = kSupersede;
  waits(1, newest);
  is_refused(1, Refusal::superseded);
  EXPECT_BROKEN("superseded");
}

TEST_F(Answers, ALaterOneReplacesOneThatWasPausedBeforeItQueued) {
  Claim newest = waiting(1, 100 * kMs);
  newest.run.on_busy = kSupersede;
  asks(1, newest);
  witness_.paused(now_, 1, now_ + 200 * kMs);
  after(200 * kMs);
  queues(1);
  waits(2, newest);
  is_refused(1, Refusal::superseded);
  EXPECT_KEPT();
}

TEST_F(Answers, ALaterOneReplaces) {
  Claim newest = waiting(1);
  newest.run.on_busy = kSupersede;
  waits(1, newest);
  waits(2, newest);
  is_refused(1, Refusal::superseded);
  EXPECT_KEPT();
}

// It was refused, and never queued.
TEST_F(Answers, ACallerThatDoesNotQueueReplacesNobody) {
  Claim newest = waiting(1);
  newest.run.on_busy = kSupersede;
  waits(1, newest);
  newest.run.queue_max = 1;
  asks(2, newest);
  is_refused(2, Refusal::queue_full);
  leaves(0);
  runs(1);
  EXPECT_KEPT();
}

// At its time it asks once more, as one that does not wait.
TEST_F(Answers, AReplacedOneMayRunAtItsTime) {
  Claim newest = waiting(1, kSecondNs);
  newest.run.on_busy = kSupersede;
  waits(1, newest);
  waits(2, newest);
  after(kSecondNs);
  is_refused(2, Refusal::no_slot);
  leaves(0);
  runs(1);
  EXPECT_KEPT();
}

TEST_F(Answers, AReplacedOneDoesNotRun) {
  Claim newest = waiting(1);
  newest.run.on_busy = kSupersede;
  waits(1, newest);
  waits(2, newest);
  leaves(0);
  runs(1);
  EXPECT_BROKEN("superseded");
}

}  // namespace
}  // namespace world
