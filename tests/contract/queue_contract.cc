// First come, first served; and a caller that does not wait does not overtake.
#include "contract.h"

namespace atmost::contract {

TEST_P(StoreContract, WaitersAreServedInOrder) {
  NEEDS(queue);
  Caller& before = holder(1);
  Caller& first = waiter(1);
  Caller& second = waiter(1);
  before.release();
  const Decision owed = second.queue();
  EXPECT_EQ(owed.verdict, Verdict::busy);
  EXPECT_EQ(owed.why, Why::owed);
  EXPECT_GE(owed.waiters, 1u);
  EXPECT_EQ(first.queue().verdict, Verdict::admit);
  EXPECT_EQ(second.queue().why, Why::no_slot);
  first.release();
  EXPECT_EQ(second.queue().verdict, Verdict::admit);
}

TEST_P(StoreContract, ANewcomerDoesNotOvertake) {
  NEEDS(queue);
  Caller& before = holder(1);
  Caller& first = waiter(1);
  before.release();
  EXPECT_EQ(one(1).ask().why, Why::owed);
  Caller& late = one(1);
  EXPECT_EQ(late.queue().why, Why::owed);
  EXPECT_TRUE(late.ticket.drawn);
  EXPECT_EQ(first.queue().verdict, Verdict::admit);
}

TEST_P(StoreContract, ANewcomerTakesWhatTheWaitersLeaveOver) {
  NEEDS(several_slots);
  NEEDS(queue);
  Caller* holders[] = {&holder(3), &holder(3), &holder(3)};
  Caller& first = waiter(3);
  holders[0]->release();
  EXPECT_EQ(one(3).ask().why, Why::owed);
  holders[1]->release();
  EXPECT_TRUE(one(3).admitted());
  EXPECT_EQ(first.queue().verdict, Verdict::admit);
}

TEST_P(StoreContract, AWaiterForSeveralClaimsAllOfThem) {
  NEEDS(queue);
  NEEDS(weights);
  Caller* holders[] = {&holder(3), &holder(3), &holder(3)};
  Caller& first = waiter(3, 2);
  holders[0]->release();
  EXPECT_FALSE(one(3).admitted());
  EXPECT_EQ(first.queue().verdict, Verdict::busy);
  holders[1]->release();
  EXPECT_FALSE(one(3).admitted());
  holders[2]->release();
  EXPECT_TRUE(one(3).admitted());
  EXPECT_EQ(first.queue().verdict, Verdict::admit);
}

TEST_P(StoreContract, WhoLeavesTheQueueIsNotWaitedFor) {
  NEEDS(queue);
  Caller& before = holder(1);
  Caller& first = waiter(1);
  Caller& second = waiter(1);
  before.release();
  first.leave();
  EXPECT_FALSE(first.ticket.drawn);
  EXPECT_EQ(second.queue().verdict, Verdict::admit);
  first.leave();  // twice is once
}

TEST_P(StoreContract, ATicketIsKeptWhileWaitingAndGivenUpWhenAdmitted) {
  NEEDS(queue);
  Caller& before = holder(1);
  Caller& first = waiter(1);
  const std::uint64_t number = first.ticket.numbers[0];
  EXPECT_EQ(first.queue().verdict, Verdict::busy);
  EXPECT_EQ(first.ticket.numbers[0], number);
  EXPECT_EQ(look().waiters.size(), 1u);
  before.release();
  EXPECT_EQ(first.queue().verdict, Verdict::admit);
  EXPECT_FALSE(first.ticket.drawn);
  EXPECT_TRUE(look().waiters.empty());
}

TEST_P(StoreContract, TicketsIncreaseThoughTheHintsAreLost) {
  NEEDS(queue);
  Caller& before = holder(1);
  Caller& first = waiter(1);
  if (!world_->lose_hints()) GTEST_SKIP() << "this store has no hints";
  Caller& second = waiter(1);
  EXPECT_GT(second.ticket.numbers[0], first.ticket.numbers[0]);
  before.release();
  EXPECT_EQ(second.queue().why, Why::owed);
  EXPECT_EQ(first.queue().verdict, Verdict::admit);
}

TEST_P(StoreContract, AWaiterThatAsksAgainInVainWritesNothing) {
  NEEDS(queue);
  holder(1);
  Caller& first = waiter(1);
  Caller& second = waiter(1);
  const std::optional<std::string> before = world_->bytes();
  EXPECT_EQ(first.queue().verdict, Verdict::busy);
  EXPECT_EQ(second.queue().verdict, Verdict::busy);
  EXPECT_EQ(world_->bytes(), before);
}

TEST_P(StoreContract, ASmallLimitsQueueDoesNotBlockALargeOne) {
  NEEDS(several_slots);
  NEEDS(queue);
  holder(1);
  waiter(1);
  EXPECT_TRUE(one(3).admitted());
}

// Two slots above the limit are held and leave room for one more below it: for the waiter.
TEST_P(StoreContract, HoldersAboveTheLimitLeaveLessOver) {
  NEEDS(queue);
  Caller* low[] = {&holder(5), &holder(5), &holder(5)};
  holder(5);
  holder(5);
  Caller& first = waiter(3);
  for (Caller* each : low) each->release();
  EXPECT_EQ(one(3).ask().why, Why::owed);
  EXPECT_EQ(first.queue().verdict, Verdict::admit);
}

TEST_P(StoreContract, WhoDoesNotUseItsTurnIsOvertakenAndKeepsItsPlace) {
  NEEDS(turns);
  Caller& before = holder(1);
  Caller& first = waiter(1);
  Caller& second = waiter(1);
  Caller& third = waiter(1);
  before.release();
  const Decision owed = second.queue(at(0));
  EXPECT_EQ(owed.why, Why::owed);
  EXPECT_EQ(owed.retry_in.ns, kTurn.ns);
  EXPECT_EQ(second.queue(at(0.99)).why, Why::owed);
  EXPECT_EQ(third.queue(at(1)).why, Why::owed) << "the turn of the one before it has only begun";
  EXPECT_EQ(second.queue(at(1)).verdict, Verdict::admit);
  EXPECT_TRUE(first.ticket.drawn);
  // It asks again, and so it counts again.
  EXPECT_EQ(first.queue(at(2)).why, Why::no_slot);
  second.release();
  EXPECT_EQ(third.queue(at(3)).why, Why::owed);
  EXPECT_EQ(first.queue(at(3)).verdict, Verdict::admit);
}

TEST_P(StoreContract, WhoWasOvertakenDelaysNobodyAgain) {
  NEEDS(turns);
  Caller& before = holder(1);
  waiter(1);
  before.release();
  EXPECT_EQ(one(1).ask(at(0)).why, Why::owed);
  Caller& next = one(1);
  ASSERT_TRUE(next.admitted(at(1)));
  next.release();
  EXPECT_TRUE(one(1).admitted(at(60)));
}

TEST_P(StoreContract, ManyThatDoNotComeTakeLittleLongerThanOne) {
  NEEDS(turns);
  Caller& before = holder(1);
  for (int i = 0; i < 40; ++i) waiter(1);
  Caller& last = waiter(1);
  before.release();
  EXPECT_EQ(last.queue(at(0)).why, Why::owed);
  // Their turns may have begun together.
  if (last.queue(at(1)).verdict != Verdict::admit) {
    EXPECT_EQ(last.queue(at(2)).verdict, Verdict::admit);
  }
}

TEST_P(StoreContract, ATurnThatCouldNotBeUsedIsNone) {
  NEEDS(turns);
  NEEDS(weights);
  Caller& one_slot = holder(2);
  Caller& other_slot = holder(2);
  Caller& first = waiter(2, 2);
  one_slot.release();
  for (int second = 0; second < 5; ++second) EXPECT_EQ(one(2).ask(at(second)).why, Why::owed);
  other_slot.release();
  EXPECT_EQ(one(2).ask(at(5)).why, Why::owed);
  EXPECT_EQ(first.queue(at(5)).verdict, Verdict::admit);
}

TEST_P(StoreContract, AWriterThatDoesNotUseItsTurnIsOvertakenByReaders) {
  NEEDS(turns);
  NEEDS(modes);
  Caller& before = holder(3);
  Caller& writer = one(1);
  writer.request.locks[0].mode = Mode::exclusive;
  EXPECT_EQ(writer.queue().verdict, Verdict::busy);
  EXPECT_EQ(one(3).ask(at(0)).why, Why::owed);
  before.release();
  EXPECT_EQ(one(3).ask(at(9)).why, Why::owed);
  EXPECT_TRUE(one(3).admitted(at(10)));
  EXPECT_TRUE(one(3).admitted(at(10)));
}

TEST_P(StoreContract, ARunnerForTheOthersThatDoesNotComeIsNoRunner) {
  NEEDS(turns);
  Caller& before = holder(1);
  Caller& runner = one(1);
  runner.request.on_busy = OnBusy::join;
  EXPECT_EQ(runner.queue().why, Why::no_slot);
  before.release();
  Caller& late = one(1);
  late.request.on_busy = OnBusy::join;
  EXPECT_EQ(late.ask(at(0)).why, Why::joined);
  Caller& next = one(1);
  ASSERT_TRUE(next.admitted(at(1)));
  EXPECT_EQ(late.ask(at(1)).why, Why::no_slot);
}

TEST_P(StoreContract, WaitingForNothingDrawsNoTicket) {
  NEEDS(queue);
  Caller& caller = one(0);
  EXPECT_EQ(caller.queue().why, Why::zero);
  EXPECT_FALSE(caller.ticket.drawn);
}

TEST_P(StoreContract, AwaitingTellsTheHeadWhenASlotBecomesFree) {
  NEEDS(queue);
  Caller& before = holder(1);
  Caller& first = waiter(1);
  before.release();
  for (int round = 0; round < 1000 && !first.lease.held(); ++round) {
    Result<Wake> woken = first.session().await(first.ticket, Duration::kForever);
    ASSERT_TRUE(woken.ok());
    first.queue();
  }
  EXPECT_TRUE(first.lease.held());
}

TEST_P(StoreContract, AwaitingEndsAtItsDeadline) {
  NEEDS(queue);
  holder(1);
  Caller& first = waiter(1);
  Caller& second = waiter(1);
  for (Caller* each : {&second, &first}) {
    Wake wake = Wake::maybe;
    for (int round = 0; round < 3 && wake != Wake::deadline; ++round) {
      Result<Wake> woken = each->session().await(each->ticket, 0);
      ASSERT_TRUE(woken.ok());
      wake = woken.value();
    }
    EXPECT_EQ(wake, Wake::deadline);
  }
}

TEST_P(StoreContract, OneJoinerWaitsForAll) {
  NEEDS(queue);
  Caller& before = holder(1);
  const auto joiner = [this]() -> Caller& {
    Caller& caller = one(1);
    caller.request.on_busy = OnBusy::join;
    return caller;
  };
  Caller& first = joiner();
  EXPECT_EQ(first.queue().why, Why::no_slot);
  EXPECT_TRUE(first.ticket.drawn);
  Caller& second = joiner();
  EXPECT_EQ(second.queue().why, Why::joined);
  EXPECT_FALSE(second.ticket.drawn);
  EXPECT_EQ(first.queue().why, Why::no_slot);  // it has not joined itself
  EXPECT_EQ(one(1).ask().why, Why::no_slot);   // a caller without `join` has not joined

  before.release();
  EXPECT_EQ(joiner().queue().why, Why::joined);  // the slot is owed to the one that runs for all
  EXPECT_EQ(first.queue().verdict, Verdict::admit);
  Caller& next = joiner();
  EXPECT_EQ(next.queue().why, Why::no_slot);
  EXPECT_TRUE(next.ticket.drawn);
  EXPECT_EQ(joiner().queue().why, Why::joined);
}

TEST_P(StoreContract, AJoinerThatGaveUpIsNobodysRunner) {
  NEEDS(queue);
  holder(1);
  Caller& first = one(1);
  first.request.on_busy = OnBusy::join;
  EXPECT_EQ(first.queue().why, Why::no_slot);
  first.leave();
  Caller& second = one(1);
  second.request.on_busy = OnBusy::join;
  EXPECT_EQ(second.queue().why, Why::no_slot);
}

}  // namespace atmost::contract
