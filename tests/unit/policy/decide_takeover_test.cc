// Holders that are stopped, and those that are spared: ExpireAfter (Table 3).
#include <gmock/gmock.h>

#include "decide_kit.h"

namespace atmost::policy {
namespace {

TEST_F(Decide, ExpireAfterForeverStopsNobody) {
  hold({1'000'000'000});
  EXPECT_EQ(ask().why, Why::no_slot);
  EXPECT_TRUE(ask().retry_in.is_forever());
}

TEST_F(Decide, ExpireAfterStopsWhoIsAsOldAsThat) {
  request.expire_after = Duration::seconds(60);
  hold({60});
  EXPECT_EQ(victims(), Victims{1});
  request.expire_after = Duration::seconds(61);
  EXPECT_EQ(victims(), Victims{});
  EXPECT_EQ(ask().why, Why::no_slot);
  EXPECT_EQ(ask().retry_in, Duration::seconds(1));
}

TEST_F(Decide, NobodyIsStoppedWhereThereIsRoom) {
  lock.max = 2;
  request.expire_after = Duration::seconds(60);
  hold({100});
  EXPECT_EQ(ask().verdict, Verdict::admit);
}

TEST_F(Decide, ExpireAfterZeroStopsEverybodyFirst) {
  lock.max = 9;
  request.expire_after = Duration{};
  hold({0, 5, 3});
  EXPECT_EQ(victims(), (Victims{2, 3, 1}));
  view.has_room = false;
  EXPECT_EQ(victims(), (Victims{2, 3, 1}));
  view.holders = {};
  view.has_room = true;
  EXPECT_EQ(ask().verdict, Verdict::admit);
}

TEST_F(Decide, ExpireAfterZeroWaitsForATakeoverThatRuns) {
  lock.max = 9;
  request.expire_after = Duration{};
  hold({5});
  view.takeover_running = true;
  EXPECT_EQ(ask().why, Why::taking_over);
}

TEST_F(Decide, OldestFirstAndOnlyAsManyAsStandInTheWay) {
  lock.max = 4;
  request.expire_after = Duration::seconds(10);
  hold({20, 40, 30, 15});
  EXPECT_EQ(victims(), Victims{2});
  lock.take = 2;
  EXPECT_EQ(victims(), (Victims{2, 3}));
  lock.take = 4;
  EXPECT_EQ(victims(), (Victims{2, 3, 1, 4}));
  lock.take = 1;
  lock.max = 2;  // two are held beyond what this caller allows
  EXPECT_EQ(victims(), (Victims{2, 3, 1}));
}

TEST_F(Decide, TheYoungAreSparedAndTheirDayIsNamed) {
  lock.max = 3;
  lock.take = 3;
  request.expire_after = Duration::seconds(10);
  hold({4, 12, 7});
  EXPECT_EQ(victims(), Victims{2});
  EXPECT_EQ(ask().retry_in, Duration::seconds(3));
}

TEST_F(Decide, AWriterHasEverybodyInItsWay) {
  lock.mode = Mode::exclusive;
  lock.max = 100;
  request.expire_after = Duration::seconds(10);
  hold({20, 40, 30});
  view.has_room = false;
  EXPECT_EQ(victims(), (Victims{2, 3, 1}));
}

TEST_F(Decide, WhoseAgeIsUnknownIsNotOverdue) {
  hold({-1, -1});
  lock.max = 2;
  request.expire_after = Duration::seconds(10);
  EXPECT_EQ(ask().why, Why::no_slot);
  EXPECT_TRUE(ask().retry_in.is_forever());
  request.expire_after = Duration{};
  EXPECT_EQ(ask().why, Why::no_slot);
  request.on_busy = OnBusy::replace;
  view.last_chance = true;
  EXPECT_EQ(ask().why, Why::no_slot);
  lock.max = 3;
  view.has_room = true;
  EXPECT_EQ(ask().verdict, Verdict::admit);  // and does not keep a free slot from anybody
}

TEST_F(Decide, AHolderFromTheFutureIsNotOverdue) {
  hold({0});
  HolderView holder;
  holder.slot = 1;
  holder.start = same_boot(-5);
  view.holders = {&holder, 1};
  request.expire_after = Duration{};
  EXPECT_EQ(ask().why, Why::no_slot);
  EXPECT_EQ(holder_age_ns(holder, kNow), -1);
  holder.start = same_boot(5);
  EXPECT_EQ(holder_age_ns(holder, kNow), 5 * kSecond);
  holder.start = {};
  EXPECT_EQ(holder_age_ns(holder, kNow), -1);
}

TEST_F(Decide, MoreHoldersThanCanBeNamedAreNotNamed) {
  std::vector<HolderView> many(kMaxVictims + 10);
  for (std::uint32_t i = 0; i < many.size(); ++i) {
    many[i].slot = i + 1;
    many[i].start = same_boot(100);
  }
  view.holders = {many.data(), many.size()};
  view.held = static_cast<std::uint32_t>(many.size());
  request.expire_after = Duration{};
  EXPECT_EQ(ask().victim_count, kMaxVictims);
}

// --- Holders that have not agreed to be stopped ---

TEST_F(Decide, WhoHasNotAgreedIsNobodysVictim) {
  request.expire_after = Duration::seconds(10);
  hold({60});
  make_immune(1);
  const Decision answer = ask();
  EXPECT_EQ(answer.verdict, Verdict::busy);
  EXPECT_EQ(answer.why, Why::immune);
  EXPECT_EQ(answer.culprit, 1001);
  EXPECT_EQ(answer.victim_count, 0u);
  EXPECT_TRUE(worth_waiting(answer));
}

TEST_F(Decide, WhoHasNotAgreedIsOrdinaryUntilItIsOverdue) {
  request.expire_after = Duration::seconds(61);
  hold({60});
  make_immune(1);
  EXPECT_EQ(ask().why, Why::no_slot);
  EXPECT_EQ(ask().retry_in, Duration::seconds(1));
}

TEST_F(Decide, AForeignLockIsNobodysVictim) {
  request.expire_after = {};
  hold({60});
  make_foreign(1);
  EXPECT_EQ(ask().verdict, Verdict::busy);
  EXPECT_EQ(ask().why, Why::foreign);
  EXPECT_EQ(ask().culprit, 1001);
  EXPECT_TRUE(worth_waiting(ask()));
}

TEST_F(Decide, AForeignLockBesideTheSlotsAdmitsNobody) {
  request.expire_after = {};
  hold({60});
  view.has_room = false;
  view.foreign_lock = view.foreign_whole = true;
  view.foreign_pid = 77;
  EXPECT_EQ(ask().why, Why::foreign);
  EXPECT_EQ(ask().culprit, 77);
  EXPECT_TRUE(ask().foreign_whole);
  EXPECT_EQ(ask().victim_count, 0u);
  view.held_by_ancestor = true;
  EXPECT_EQ(ask().why, Why::ancestor);
}

TEST_F(Decide, AnotherOverdueHolderIsStoppedInstead) {
  lock.max = 2;
  request.expire_after = Duration::seconds(10);
  hold({60, 30});
  make_immune(1);
  EXPECT_EQ(victims(), Victims{2});
  EXPECT_EQ(ask().culprit, 0);
  lock.take = 2;  // one of the two is better than none: it asks again afterwards
  EXPECT_EQ(victims(), Victims{2});
}

TEST_F(Decide, BesideOneThatShouldBeStoppedFirstNobodyIsAdmitted) {
  lock.max = 2;
  request.expire_after = {};
  hold({60});
  make_immune(1);
  ASSERT_TRUE(view.has_room);
  EXPECT_EQ(ask().verdict, Verdict::busy);
  EXPECT_EQ(ask().why, Why::immune);
}

// A supervisor was killed: its --max-runtime is kept by those who want the slot.
TEST_F(Decide, WhatAKilledSupervisorLeftIsStoppedAtItsMaxRuntime) {
  lock.max = 2;
  hold({60, 30});
  leave(1, Duration::seconds(60));
  leave(2, Duration::seconds(31));
  EXPECT_EQ(victims(), Victims{1});
  EXPECT_EQ(ask().outlived, Duration::seconds(60));
  leave(1, Duration::seconds(61));
  EXPECT_EQ(victims(), Victims{});
  EXPECT_EQ(ask().why, Why::no_slot);
  EXPECT_EQ(ask().retry_in, Duration::seconds(1));
}

TEST_F(Decide, NothingIsStoppedForALimitWhoseSupervisorLives) {
  hold({60});
  leave(1, Duration::seconds(1), false);
  EXPECT_EQ(victims(), Victims{});
}

TEST_F(Decide, NothingIsStoppedThatIsNotKnownToBeLeft) {
  hold({60});
  leave(1, Duration::seconds(1), true, 0);
  EXPECT_EQ(victims(), Victims{});
  hold({-1});  // of unknown age
  leave(2, Duration::seconds(1));
  EXPECT_EQ(victims(), Victims{});
}

TEST_F(Decide, NothingIsStoppedBesideAFreeSlot) {
  lock.max = 2;
  hold({60});
  leave(1, Duration::seconds(1));
  EXPECT_EQ(ask().verdict, Verdict::admit);
}

}  // namespace
}  // namespace atmost::policy
