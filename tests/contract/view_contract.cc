// The view of inspect(), and that of the decision.
#include "contract.h"

namespace atmost::contract {
namespace {

View last_view;  // the spans in it are dead by the time a test looks
std::vector<HolderView> last_holders;
unsigned calls = 0;

Decision record(const Request& request, const LockSpec& lock, const View& view,
                const Instant& now) {
  ++calls;
  last_view = view;
  last_holders.assign(view.holders.begin(), view.holders.end());
  return policy::decide(request, lock, view, now);
}

}  // namespace

TEST_P(StoreContract, ALockThatNobodyUsedIsEmpty) {
  const Seen seen = look();
  EXPECT_EQ(seen.count, 0u);
  EXPECT_EQ(seen.head.token, 0u);
  EXPECT_FALSE(seen.head.last.start.known);
  EXPECT_TRUE(seen.holders.empty());
}

TEST_P(StoreContract, HoldersAreShownBySlotWithTheirRecords) {
  NEEDS(several_slots);
  NEEDS(last_admission);
  Caller* first = nullptr;
  for (int i = 0; i < 3; ++i) {
    Caller& caller = one(3);
    caller.request.id = Text<63>("job " + std::to_string(i));
    caller.request.command = Text<63>("gzip");
    caller.request.expire_after = Duration::seconds(90 + i);
    ASSERT_TRUE(caller.admitted(at(i)));
    if (i == 0) first = &caller;
  }
  Seen seen = look();
  EXPECT_EQ(seen.count, 3u);
  ASSERT_EQ(seen.slots(), (Slots{1, 2, 3}));
  EXPECT_TRUE(seen.head.exists);
  EXPECT_EQ(seen.head.last.start.real_ns, at(2).real_ns);
  EXPECT_FALSE(seen.head.last.finish.known);
  for (int i = 0; i < 3; ++i) {
    const HolderView& holder = seen.holders[static_cast<std::size_t>(i)];
    EXPECT_TRUE(holder.has_record);
    EXPECT_TRUE(holder.verified);
    EXPECT_EQ(holder.id.view(), "job " + std::to_string(i));
    EXPECT_EQ(holder.command.view(), "gzip");
    EXPECT_TRUE(holder.start.known);
    EXPECT_EQ(holder.start.real_ns, at(i).real_ns);
    EXPECT_EQ(holder.expire_after, Duration::seconds(90 + i));
  }
  EXPECT_EQ(seen.holders[0].token, first->token());

  first->release(Ending::success, at(5));
  seen = look();
  EXPECT_EQ(seen.slots(), (Slots{2, 3}));
  EXPECT_EQ(seen.head.last.finish.real_ns, at(5).real_ns);
  EXPECT_EQ(seen.head.last.success.real_ns, at(5).real_ns);
}

TEST_P(StoreContract, WaitersAreShownInOrder) {
  NEEDS(queue);
  holder(1);
  for (const char* id : {"first", "second", "third"}) {
    Caller& caller = one(1);
    caller.request.id = Text<63>(id);
    EXPECT_EQ(caller.queue().verdict, Verdict::busy);
  }
  const Seen seen = look();
  EXPECT_EQ(seen.waiting(), (Ids{"first", "second", "third"}));
  EXPECT_EQ(seen.waiters[0].max, 1u);
  EXPECT_EQ(seen.count, 1u);
}

TEST_P(StoreContract, LookingChangesNothing) {
  Caller& caller = holder(1);
  const std::optional<std::string> before = world_->bytes();
  look();
  EXPECT_EQ(world_->bytes(), before);
  EXPECT_FALSE(one(1).admitted());
  EXPECT_EQ(caller.slots(), Slots{1});
}

// A program that lists the lock it holds must not lose it.
TEST_P(StoreContract, AHolderMayLookDrainAndForget) {
  Caller& caller = holder(1);
  Seen seen;
  EXPECT_TRUE(caller.store().inspect(caller.request.locks[0], at(0), &seen).ok());
  EXPECT_TRUE(caller.store().forget(caller.request).ok());
  if (can().drain) {
    EXPECT_TRUE(caller.store().set_drained(caller.request, 0, true).ok());
    EXPECT_TRUE(caller.store().set_drained(caller.request, 0, false).ok());
  }
  EXPECT_EQ(one(1).ask().why, Why::no_slot);
  caller.release();
  EXPECT_TRUE(one(1).admitted());
}

TEST_P(StoreContract, TheDecisionIsToldWhatIsSo) {
  NEEDS(several_slots);
  NEEDS(last_admission);
  Caller& first = one(2);
  calls = 0;
  ASSERT_EQ(first.ask(at(0), record).verdict, Verdict::admit);
  EXPECT_GE(calls, 1u);
  EXPECT_TRUE(last_view.has_room);
  EXPECT_TRUE(last_view.last_chance);
  EXPECT_FALSE(last_view.last.start.known);
  EXPECT_EQ(last_view.waiters_ahead, 0u);

  ASSERT_EQ(one(2).ask(at(1), record).verdict, Verdict::admit);
  EXPECT_TRUE(last_view.has_room);
  EXPECT_EQ(last_view.token, first.token());
  EXPECT_TRUE(last_view.last.start.known);
  EXPECT_TRUE(last_view.last.start.same_boot);
  EXPECT_EQ(last_view.last.start.boot_ns, at(0).boot_ns);

  ASSERT_EQ(one(2).ask(at(2), record).verdict, Verdict::busy);
  EXPECT_FALSE(last_view.has_room);
  EXPECT_EQ(last_view.held, 2u);
  EXPECT_FALSE(last_view.drained);
  EXPECT_FALSE(last_view.held_by_ancestor);
  EXPECT_FALSE(last_view.takeover_running);
}

TEST_P(StoreContract, WhoWaitsHasAnotherChance) {
  NEEDS(queue);
  Caller& before = holder(1);
  Caller& first = one(1);
  ASSERT_EQ(first.queue(at(0), record).verdict, Verdict::busy);
  EXPECT_FALSE(last_view.last_chance);
  before.release();
  ASSERT_EQ(one(1).ask(at(0), record).why, Why::owed);
  EXPECT_TRUE(last_view.last_chance);
  EXPECT_TRUE(last_view.has_room);
  EXPECT_GE(last_view.waiters_ahead, 1u);
  ASSERT_EQ(first.queue(at(0), record).verdict, Verdict::admit);
  EXPECT_EQ(last_view.waiters_ahead, 0u);
}

TEST_P(StoreContract, OverdueHoldersAreNamedOldestFirst) {
  NEEDS(several_slots);
  NEEDS(takeover);
  for (int i : {3, 1, 2}) {
    Caller& caller = one(3);
    ASSERT_TRUE(caller.admitted(at(i)));
  }
  Caller& impatient = one(3);
  impatient.request.expire_after = Duration::seconds(10);
  EXPECT_EQ(impatient.ask(at(5), record).retry_in.ns, Duration::seconds(6).ns);
  ASSERT_EQ(last_holders.size(), 3u);

  // Ages are the lesser of the record's and the process's own, which is this test.
  const Decision overdue = impatient.ask(at(11.5), record);
  if (overdue.verdict == Verdict::take_over) {
    ASSERT_EQ(overdue.victim_count, 1u);
    EXPECT_EQ(overdue.victims[0], 2u);
  }
  EXPECT_EQ(look().slots(), (Slots{1, 2, 3}));
  EXPECT_TRUE(look().waiters.empty());
}

TEST_P(StoreContract, ASlotThatIsTakenOverIsLeftToTheTaker) {
  NEEDS(takeover);
  Caller& before = holder(1);
  Caller& taker = one(1);
  taker.request.expire_after = Duration{};
  const Decision overdue = taker.ask(at(1));
  ASSERT_EQ(overdue.verdict, Verdict::take_over);
  EXPECT_EQ(before.lease.contested(0), Contest::none);
  Owned<HolderStop> stop = taker.stop(overdue, 1);
  ASSERT_TRUE(static_cast<bool>(stop));
  if (!can().leased) {  // those get a message, which takes a moment
    EXPECT_EQ(before.lease.contested(0), Contest::for_its_place);
  }
  Caller& rival = one(1);
  rival.request.expire_after = Duration{};
  EXPECT_EQ(rival.ask(at(1)).why, Why::taking_over);
  EXPECT_FALSE(static_cast<bool>(rival.stop(overdue, 1)));
  before.release();
  EXPECT_FALSE(one(1).admitted(at(2)));
  EXPECT_TRUE(taker.admitted(at(2)));
  stop.close();
  taker.release();
  EXPECT_TRUE(one(1).admitted(at(3)));
}

TEST_P(StoreContract, ATakeoverClosesNoOtherSlot) {
  NEEDS(several_slots);
  NEEDS(takeover);
  Caller& first = holder(2);
  Caller& second = holder(2);
  Caller& taker = one(2);
  taker.request.expire_after = Duration{};
  const Decision overdue = taker.ask(at(1));
  ASSERT_EQ(overdue.verdict, Verdict::take_over);
  ASSERT_EQ(overdue.victims[0], 1u);
  const Owned<HolderStop> stop = taker.stop(overdue, 1);
  ASSERT_TRUE(static_cast<bool>(stop));
  first.release();
  second.release();
  Caller& newcomer = one(2);
  EXPECT_TRUE(newcomer.admitted(at(2)));
  EXPECT_EQ(newcomer.slots(), Slots{2});
}

}  // namespace atmost::contract
