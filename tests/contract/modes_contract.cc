// Readers together, a writer alone, and neither shut out by the other for good.
#include "contract.h"

namespace atmost::contract {
namespace {

Caller& with(Caller& caller, Mode mode) {
  caller.request.locks[0].mode = mode;
  return caller;
}

}  // namespace

TEST_P(StoreContract, ReadersTogetherAWriterAlone) {
  NEEDS(several_slots);
  NEEDS(modes);
  Caller& first = with(one(8), Mode::shared);
  Caller& second = with(one(8), Mode::shared);
  EXPECT_TRUE(first.admitted());
  EXPECT_TRUE(second.admitted());
  Caller& writer = with(one(1), Mode::exclusive);
  const Decision refused = writer.ask();
  EXPECT_EQ(refused.why, Why::no_slot);
  EXPECT_EQ(refused.held, 2u);
  first.release();
  EXPECT_FALSE(writer.admitted());
  second.release();
  EXPECT_TRUE(writer.admitted());
  EXPECT_FALSE(with(one(1), Mode::exclusive).admitted());
  EXPECT_FALSE(with(one(8), Mode::shared).admitted());
  EXPECT_FALSE(one(8).admitted());  // a plain caller counts as a reader
  writer.release();
  EXPECT_TRUE(one(8).admitted());
  EXPECT_TRUE(with(one(8), Mode::shared).admitted());
}

TEST_P(StoreContract, AWriterMayHaveAnyLimit) {
  NEEDS(several_slots);
  NEEDS(modes);
  Caller& writer = with(one(8), Mode::exclusive);
  EXPECT_TRUE(writer.admitted());
  for (Mode mode : {Mode::plain, Mode::shared, Mode::exclusive}) {
    EXPECT_FALSE(with(one(8), mode).admitted());
    EXPECT_FALSE(with(one(1), mode).admitted());
  }
}

TEST_P(StoreContract, AReaderAboveEveryLimitKeepsTheWriterOut) {
  NEEDS(several_slots);
  NEEDS(modes);
  Caller* low[4];
  for (Caller*& each : low) each = &holder(4);
  Caller& high = with(one(5), Mode::shared);
  ASSERT_TRUE(high.admitted());
  for (Caller* each : low) each->release();
  EXPECT_FALSE(with(one(1), Mode::exclusive).admitted());
  high.release();
  EXPECT_TRUE(with(one(1), Mode::exclusive).admitted());
}

TEST_P(StoreContract, ReadersMayHaveALimitToo) {
  NEEDS(several_slots);
  NEEDS(modes);
  EXPECT_TRUE(with(one(2), Mode::shared).admitted());
  EXPECT_TRUE(with(one(2), Mode::shared).admitted());
  EXPECT_FALSE(with(one(2), Mode::shared).admitted());
  EXPECT_TRUE(with(one(3), Mode::shared).admitted());
}

TEST_P(StoreContract, AWaitingWriterIsNotStarvedByLaterReaders) {
  NEEDS(several_slots);
  NEEDS(modes);
  NEEDS(queue);
  Caller& reader = with(one(8), Mode::shared);
  ASSERT_TRUE(reader.admitted());
  Caller& writer = with(one(1), Mode::exclusive);
  EXPECT_EQ(writer.queue().why, Why::no_slot);
  EXPECT_EQ(with(one(8), Mode::shared).ask().why, Why::owed);
  Caller& later = with(one(8), Mode::shared);
  EXPECT_EQ(later.queue().why, Why::owed);
  reader.release();
  EXPECT_EQ(later.queue().why, Why::owed);
  EXPECT_EQ(writer.queue().verdict, Verdict::admit);
  EXPECT_EQ(later.queue().why, Why::no_slot);
  writer.release();
  EXPECT_EQ(later.queue().verdict, Verdict::admit);
}

TEST_P(StoreContract, AWriterBehindAWaitingReaderWaits) {
  NEEDS(several_slots);
  NEEDS(modes);
  NEEDS(queue);
  Caller& writer = with(one(1), Mode::exclusive);
  ASSERT_TRUE(writer.admitted());
  Caller& reader = with(one(8), Mode::shared);
  EXPECT_EQ(reader.queue().why, Why::no_slot);
  Caller& next = with(one(1), Mode::exclusive);
  EXPECT_EQ(next.queue().why, Why::no_slot);
  writer.release();
  EXPECT_EQ(next.queue().why, Why::owed);
  EXPECT_EQ(reader.queue().verdict, Verdict::admit);
}

}  // namespace atmost::contract
