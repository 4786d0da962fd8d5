// Drained locks and slots keep their holders and get no new ones.
#include "contract.h"

namespace atmost::contract {

TEST_P(StoreContract, ADrainedLockAdmitsNobody) {
  NEEDS(several_slots);
  NEEDS(drain);
  Caller& before = holder(3);
  drain(0, true);
  EXPECT_EQ(one(3).ask().why, Why::drained);
  EXPECT_TRUE(look().head.drained);
  EXPECT_EQ(look().slots(), Slots{1});
  before.release();
  EXPECT_EQ(one(3).ask().why, Why::drained);
  drain(0, false);
  EXPECT_FALSE(look().head.drained);
  EXPECT_TRUE(one(3).admitted());
}

TEST_P(StoreContract, ALockIsDrainedBeforeItsFirstUse) {
  NEEDS(drain);
  drain(0, true);
  EXPECT_EQ(one(1).ask().why, Why::drained);
}

TEST_P(StoreContract, ADrainedSlotIsPassedOver) {
  NEEDS(several_slots);
  NEEDS(drain);
  drain(2, true);
  EXPECT_EQ(holder(3).slots(), Slots{1});
  EXPECT_EQ(holder(3).slots(), Slots{3});
  EXPECT_EQ(one(3).ask().verdict, Verdict::busy);
  drain(2, false);
  EXPECT_EQ(holder(3).slots(), Slots{2});
}

TEST_P(StoreContract, ADrainedSlotKeepsItsHolder) {
  NEEDS(drain);
  Caller& before = holder(1);
  drain(1, true);
  EXPECT_EQ(look().slots(), Slots{1});
  before.release();
  EXPECT_EQ(one(1).ask().verdict, Verdict::busy);
}

TEST_P(StoreContract, ResumingTheLockResumesItsSlots) {
  NEEDS(several_slots);
  NEEDS(drain);
  drain(1, true);
  drain(5, true);
  drain(0, true);
  drain(0, false);
  for (std::uint32_t slot = 1; slot <= 5; ++slot) EXPECT_EQ(holder(5).slots(), Slots{slot});
}

TEST_P(StoreContract, SeveralSlotsDoNotReachOverADrainedOne) {
  NEEDS(drain);
  NEEDS(weights);
  drain(2, true);
  EXPECT_FALSE(one(3, 3).admitted());
  EXPECT_EQ(holder(3, 2).slots(), (Slots{1, 3}));
}

// Many held slots in front make a store look for shortcuts; a drained slot allows none.
TEST_P(StoreContract, ADrainedSlotBehindManyHeldOnesIsPassedOver) {
  NEEDS(several_slots);
  NEEDS(drain);
  for (std::uint32_t slot = 1; slot <= 40; ++slot) holder(40);
  drain(41, true);
  EXPECT_EQ(one(41).ask().verdict, Verdict::busy);
  EXPECT_EQ(holder(42).slots(), Slots{42});
}

TEST_P(StoreContract, NoSuchSlotIsAMistake) {
  NEEDS(drain);
  Request request;
  world_->point(request.locks[0], 0);
  const Status drained = world_->caller().set_drained(request, kMaxSlots + 1, true);
  ASSERT_FALSE(drained.ok());
  EXPECT_EQ(drained.error().code, Code::usage);
}

}  // namespace atmost::contract
