// At most N: admissions, their slots and tokens, and the freeing of slots.
#include "contract.h"

namespace atmost::contract {

// A trait that is lost by mistake would only skip tests.
TEST_P(StoreContract, OffersAllThatItDoesNotExpresslyLack) {
  const StoreTraits& offered = can();
  const std::pair<const char*, bool> all[] = {{"processes", offered.processes},
                                              {"queue", offered.queue},
                                              {"weights", offered.weights},
                                              {"modes", offered.modes},
                                              {"several_locks", offered.several_locks},
                                              {"drain", offered.drain},
                                              {"takeover", offered.takeover},
                                              {"counts", offered.counts},
                                              {"several_slots", offered.several_slots},
                                              {"last_admission", offered.last_admission},
                                              {"withdraws", offered.withdraws},
                                              {"rates", offered.rates},
                                              {"queue_limits", offered.queue_limits},
                                              {"turns", offered.turns}};
  constexpr std::size_t kForCallers = 6;  // leased to remembers
  static_assert(sizeof(StoreTraits) == std::size(all) + kForCallers, "a new trait belongs here");
  std::set<std::string> lacking;
  for (const auto& [name, offers] : all) {
    if (!offers) lacking.insert(name);
  }
  EXPECT_EQ(lacking, world_->lacks());
}

TEST_P(StoreContract, AdmitsUpToN) {
  NEEDS(several_slots);
  for (std::uint32_t slot = 1; slot <= 3; ++slot) EXPECT_EQ(holder(3).slots(), Slots{slot});
  const Decision refused = one(3).ask();
  EXPECT_EQ(refused.verdict, Verdict::busy);
  EXPECT_EQ(refused.why, Why::no_slot);
  EXPECT_EQ(refused.held, 3u);
}

TEST_P(StoreContract, TheLowestFreeSlotComesFirst) {
  NEEDS(several_slots);
  Caller* holders[] = {&holder(4), &holder(4), &holder(4), &holder(4)};
  holders[2]->release();
  holders[1]->release();
  EXPECT_EQ(holder(4).slots(), Slots{2});
  EXPECT_EQ(holder(4).slots(), Slots{3});
}

TEST_P(StoreContract, ZeroRefuses) {
  const Decision refused = one(0).ask();
  EXPECT_EQ(refused.verdict, Verdict::busy);
  EXPECT_EQ(refused.why, Why::zero);
  EXPECT_TRUE(look().waiters.empty());
}

TEST_P(StoreContract, EveryCallerHasItsOwnLimit) {
  NEEDS(several_slots);
  for (int i = 0; i < 5; ++i) holder(5);
  EXPECT_FALSE(one(2).admitted());
  EXPECT_FALSE(one(5).admitted());
  EXPECT_EQ(holder(6).slots(), Slots{6});
  EXPECT_FALSE(one(6).admitted());
}

TEST_P(StoreContract, SlotsAboveASmallLimitCountAgainstIt) {
  NEEDS(several_slots);
  Caller* low[5];
  for (Caller*& each : low) each = &holder(5);
  Caller& high = holder(6);
  ASSERT_EQ(high.slots(), Slots{6});
  for (Caller* each : low) each->release();

  EXPECT_FALSE(one(1).admitted());  // one is held, wherever
  EXPECT_EQ(holder(2).slots(), Slots{1});
  EXPECT_FALSE(one(2).admitted());
  high.release();
  EXPECT_EQ(holder(2).slots(), Slots{2});
}

TEST_P(StoreContract, TakesSeveralSlotsAllOrNone) {
  NEEDS(weights);
  EXPECT_EQ(holder(4, 3).slots(), (Slots{1, 2, 3}));
  EXPECT_FALSE(one(4, 2).admitted());
  EXPECT_EQ(look().slots(), (Slots{1, 2, 3}));  // nothing is left of the attempt
  EXPECT_EQ(holder(4).slots(), Slots{4});
}

TEST_P(StoreContract, SeveralSlotsNeedNotBeNeighbours) {
  NEEDS(weights);
  Caller* holders[] = {&holder(4), &holder(4), &holder(4), &holder(4)};
  holders[0]->release();
  holders[2]->release();
  Caller& both = holder(4, 2);
  EXPECT_EQ(both.slots(), (Slots{1, 3}));
  both.release();
  EXPECT_EQ(look().slots(), (Slots{2, 4}));
}

TEST_P(StoreContract, SeveralSlotsBesideHoldersAboveTheLimit) {
  NEEDS(weights);
  Caller& low = holder(6, 4);
  Caller& high = holder(6, 2);
  ASSERT_EQ(high.slots(), (Slots{5, 6}));
  low.release();
  EXPECT_FALSE(one(4, 3).admitted());
  EXPECT_EQ(holder(4, 2).slots(), (Slots{1, 2}));
  EXPECT_FALSE(one(4, 1).admitted());
}

TEST_P(StoreContract, TokensIncrease) {
  NEEDS(several_slots);
  std::uint64_t last = 0;
  for (int i = 0; i < 5; ++i) {
    Caller& caller = holder(3);
    EXPECT_GT(caller.token(), last);
    last = caller.token();
    EXPECT_EQ(look().head.token, last);
    caller.release();
    if (i == 2) forget();
  }
}

TEST_P(StoreContract, TokensIncreaseThoughTheClockGoesBack) {
  NEEDS(several_slots);
  Caller& first = one(2);
  ASSERT_TRUE(first.admitted(at(1000)));
  Caller& second = one(2);
  ASSERT_TRUE(second.admitted(at(-1000)));
  EXPECT_GT(second.token(), first.token());
}

TEST_P(StoreContract, TokensIncreaseThoughTheHintsAreLost) {
  NEEDS(several_slots);
  Caller& first = holder(2);
  if (!world_->lose_hints()) GTEST_SKIP() << "this store has no hints";
  Caller& second = one(2);
  ASSERT_TRUE(second.admitted(at(1)));
  EXPECT_GT(second.token(), first.token());
  EXPECT_EQ(second.slots(), Slots{2});
  EXPECT_FALSE(one(2).admitted(at(2)));
}

TEST_P(StoreContract, ARefusalLeavesNoTrace) {
  NEEDS(several_slots);
  holder(2);
  Caller& second = holder(2);
  Caller& refused = one(2);
  const std::optional<std::string> before = world_->bytes();
  EXPECT_FALSE(refused.admitted());
  EXPECT_FALSE(one(0).admitted());
  EXPECT_EQ(world_->bytes(), before);
  EXPECT_EQ(look().slots(), (Slots{1, 2}));
  second.release();
  EXPECT_TRUE(refused.admitted());
}

TEST_P(StoreContract, AnAnswerThatIsNotAdmitHoldsNothing) {
  Caller& caller = one(1);
  const auto refuse = [](const Request&, const LockSpec&, const View& view, const Instant&) {
    EXPECT_TRUE(view.has_room);
    return Decision{};
  };
  holder(1).release();
  const std::optional<std::string> before = world_->bytes();
  EXPECT_EQ(caller.ask(at(0), refuse).verdict, Verdict::busy);
  EXPECT_EQ(world_->bytes(), before);
  EXPECT_TRUE(look().slots().empty());
  EXPECT_TRUE(one(1).admitted());
}

TEST_P(StoreContract, AFailedCommandFreesItsSlotToo) {
  for (Ending ending : {Ending::unknown, Ending::failure, Ending::success}) {
    Caller& caller = holder(1);
    EXPECT_FALSE(one(1).admitted());
    caller.release(ending, at(1));
    EXPECT_TRUE(look().slots().empty());
  }
}

TEST_P(StoreContract, ALeaseReleasesAtItsEndAndOnlyOnce) {
  Caller& first = one(1);
  {
    Caller& second = holder(1);
    const Lease ends_here = std::move(second.lease);
    EXPECT_FALSE(second.lease.held());
    EXPECT_TRUE(ends_here.held());
    second.release();  // the file that was moved away has no holders any more
    EXPECT_FALSE(first.admitted());
  }
  EXPECT_TRUE(first.admitted());
  first.release();
  Caller& third = holder(1);
  first.release();
  EXPECT_TRUE(third.lease.held());
  EXPECT_FALSE(one(1).admitted());
}

TEST_P(StoreContract, AssigningALeaseReleasesTheOldOne) {
  NEEDS(several_slots);
  Caller& first = holder(2);
  Caller& second = holder(2);
  first.lease = std::move(second.lease);
  EXPECT_EQ(first.slots(), Slots{2});
  EXPECT_EQ(look().slots(), Slots{2});
}

TEST_P(StoreContract, ADetachedLeaseStaysHeld) {
  Caller& given_away = holder(1);
  given_away.lease.detach();
  EXPECT_FALSE(given_away.lease.held());
  EXPECT_FALSE(one(1).admitted());
}

TEST_P(StoreContract, EveryCallMayBeTheFirstOfItsSession) {
  holder(1);
  Result<Wake> woken = one(1).session().await(one(1).ticket, Duration::kForever);
  ASSERT_TRUE(woken.ok());
  EXPECT_EQ(woken.value(), Wake::maybe);
  one(1).leave();
  if (can().counts) {
    EXPECT_EQ(one(1).session().count_refusal(0).value(), 1u);
    EXPECT_EQ(one(1).session().count_refusal(0).value(), 2u);
  }
  if (can().takeover) {
    Result<Owned<HolderStop>> begun =
        one(1).session().stop(0, 1, look().holders[0].hold, StopFor::its_place);
    ASSERT_TRUE(begun.ok());
    EXPECT_TRUE(static_cast<bool>(begun.value()));
  }
  EXPECT_FALSE(one(1).admitted());
}

TEST_P(StoreContract, RefusalsInARowAreCountedUntilSomebodyIsAdmitted) {
  NEEDS(counts);
  Caller& before = holder(1);
  Caller& refused = one(1);
  for (std::uint32_t expected : {1u, 2u, 3u}) {
    EXPECT_FALSE(refused.admitted());
    Result<std::uint32_t> counted = refused.session().count_refusal(0);
    ASSERT_TRUE(counted.ok());
    EXPECT_EQ(counted.value(), expected);
  }
  before.release();
  EXPECT_TRUE(before.admitted());
  EXPECT_FALSE(refused.admitted());
  EXPECT_EQ(refused.session().count_refusal(0).value(), 1u);
}

TEST_P(StoreContract, FailuresInARowAreCountedUntilASuccess) {
  NEEDS(counts);
  Caller& caller = holder(1);
  const auto count = [&](bool failed) {
    const Result<std::uint32_t> counted = caller.session().count_end(0, failed);
    return counted.ok() ? counted.value() : UINT32_MAX;
  };
  if (count(true) == 0) GTEST_SKIP() << "this store does not count them";
  EXPECT_EQ(count(true), 2u);
  caller.release();
  EXPECT_TRUE(caller.admitted());  // an admission changes nothing
  EXPECT_EQ(count(true), 3u);
  EXPECT_EQ(count(false), 3u);
  EXPECT_EQ(count(false), 0u);
  EXPECT_EQ(count(true), 1u);
}

TEST_P(StoreContract, SeveralLocksAllOrNone) {
  NEEDS(several_locks);
  const auto both = [this](unsigned first, unsigned second) -> Caller& {
    Caller& caller = one(1);
    caller.request.lock_count = 2;
    world_->point(caller.request.locks[0], first);
    world_->point(caller.request.locks[1], second);
    return caller;
  };
  Caller& first = both(0, 1);
  ASSERT_TRUE(first.admitted());
  EXPECT_NE(first.lease.lock(0).token, 0u);
  EXPECT_NE(first.lease.lock(1).token, 0u);
  EXPECT_FALSE(both(1, 0).admitted());
  EXPECT_FALSE(one(1).admitted());
  first.release();

  Caller& single = holder(1);
  const Decision refused = both(1, 0).ask();
  EXPECT_EQ(refused.verdict, Verdict::busy);
  EXPECT_EQ(refused.lock, 1u);
  single.release();
  EXPECT_TRUE(both(1, 0).admitted());
}

TEST_P(StoreContract, TheSameLockTwiceIsAMistake) {
  NEEDS(several_locks);
  Caller& caller = one(1);
  caller.request.lock_count = 2;
  world_->point(caller.request.locks[1], 0);
  Result<Owned<Session>> opened = caller.store().open(caller.request);
  if (opened.ok()) {  // a store that finds it out when it is asked
    clock_now = at(0);
    Result<Decision> answer =
        rule::admit(*opened.value(), caller.request, {policy::decide, told_by_clock}, caller.lease);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, Code::usage);
  } else {
    EXPECT_EQ(opened.error().code, Code::usage);
  }
  EXPECT_TRUE(holder(1).lease.held());
}

}  // namespace atmost::contract
