// The byte map is a promise to other programs and other versions: these figures never change.
#include "store/local/layout.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "store/local/facts.h"

namespace atmost::local {
namespace {

static_assert(kGuard.start == 0 && kGuard.length == 8);
static_assert(slot_byte(1) == 8 && slot_byte(2) == 9);
static_assert(slot_of(slot_byte(1)) == 1 && slot_of(slot_byte(kMaxSlots)) == kMaxSlots);
static_assert(kModeByte == std::int64_t{1} << 41);
static_assert(takeover_byte(1) == std::int64_t{1} << 42);
static_assert(kTicketBase == std::int64_t{1} << 48);
static_assert(kIndexAt == 0);

static_assert(offsetof(Header, checksum) == sizeof(Header) - 8,
              "what is summed up lies before the sum");
static_assert(offsetof(Record, checksum) == sizeof(Record) - 8);
static_assert(offsetof(WaiterRecord, checksum) == sizeof(WaiterRecord) - 8);

TEST(Layout, RangesOfLocksDoNotMeet) {
  EXPECT_LT(slot_byte(kMaxSlots), kModeByte);
  EXPECT_LT(kModeByte, takeover_byte(1));
  EXPECT_LT(takeover_byte(kMaxSlots), kJoinByte);
  EXPECT_LT(kJoinByte, kTicketBase);
  EXPECT_GE(queue_start(0), kTicketBase);
  for (std::uint32_t queue : {0u, 1u, kMaxSlots - 1, kMaxSlots}) {
    EXPECT_LT(queue_start(queue) + static_cast<std::int64_t>(kMaxTicket), queue_start(queue + 1));
  }
  EXPECT_GT(queue_start(kModeQueue + 1), 0);  // an off_t holds them all
}

TEST(Layout, RangesOfDataDoNotMeet) {
  EXPECT_GE(kHeaderAt, 4096);
  EXPECT_LE(kHeaderAt + static_cast<std::int64_t>(sizeof(Header)), kMemoryAt);
  EXPECT_LT(kMemoryAt, kWaitersAt);
  EXPECT_EQ(waiter_at(1), waiter_at(1 + kWaiterRing));
  EXPECT_LE(waiter_at(kWaiterRing - 1) + kRecordSize, kWordsAt);
  EXPECT_EQ(word_at(1), kWordsAt);
  EXPECT_EQ(word_at(2), kWordsAt + 8);
  EXPECT_LE(word_at(kMaxSlots) + 8, kRecordsAt);
  EXPECT_EQ(record_at(2), kRecordsAt + kRecordSize);
}

os::Conflict written(std::int64_t start, std::int64_t length, std::int64_t pid = -1) {
  return {true, true, {start, length}, pid};
}

TEST(Layout, WhatAtmostLocksIsOnTheMap) {
  EXPECT_TRUE(is_on_the_map(written(0, 8)));
  EXPECT_TRUE(is_on_the_map(written(0, 9, 4711)));  // the original, in its mutex
  EXPECT_TRUE(is_on_the_map(written(0, 8 + kMaxTake)));
  EXPECT_TRUE(is_on_the_map(written(slot_byte(1), 1)));
  EXPECT_TRUE(is_on_the_map(written(slot_byte(kMaxSlots), 1)));
  EXPECT_TRUE(is_on_the_map(written(slot_byte(7), kMaxTake)));
  EXPECT_TRUE(is_on_the_map(written(kModeByte, 1)));
  EXPECT_TRUE(is_on_the_map(written(kill_byte(1), 3)));
  EXPECT_TRUE(is_on_the_map(written(ask_byte(kMaxSlots), 1)));
  EXPECT_TRUE(is_on_the_map(written(kJoinByte, 1)));
  EXPECT_TRUE(is_on_the_map(written(proof_byte(2), 4, 4711)));
  EXPECT_TRUE(is_on_the_map(written(kHandoverByte, 1)));
  EXPECT_TRUE(is_on_the_map(written(queue_start(kModeQueue), 1)));
}

TEST(Layout, OtherRangesAreForeign) {
  EXPECT_FALSE(is_on_the_map(written(0, 0)));
  EXPECT_FALSE(is_on_the_map(written(8, 0)));
  EXPECT_FALSE(is_on_the_map(written(0, 1)));
  EXPECT_FALSE(is_on_the_map(written(0, 9 + kMaxTake)));
  EXPECT_EQ(is_on_the_map(written(0, 10, 4711)), !os::has_description_locks());
  EXPECT_FALSE(is_on_the_map(written(3, 6)));
  EXPECT_FALSE(is_on_the_map(written(slot_byte(1), kMaxTake + 1)));
  EXPECT_FALSE(is_on_the_map(written(slot_byte(kMaxSlots), 2)));
  EXPECT_FALSE(is_on_the_map(written(kModeByte, 2)));
  EXPECT_FALSE(is_on_the_map(written(kModeByte - 1, 2)));
  EXPECT_FALSE(is_on_the_map(written(kTicketBase - 1, 2)));
  EXPECT_FALSE(is_on_the_map(written(queue_start(kModeQueue + 1), 1)));
  os::Conflict read = written(0, 8);
  read.write = false;
  EXPECT_FALSE(is_on_the_map(read)) << "nobody locks the guard for reading";
  EXPECT_TRUE(is_whole(written(0, 0)));
  EXPECT_TRUE(is_whole(written(8, kMaxSlots)));
  EXPECT_FALSE(is_whole(written(9, 0)));
  EXPECT_FALSE(is_whole(written(0, 1)));
}

TEST(Layout, QueuesFollowTheLimitAndModesShareOne) {
  LockSpec lock;
  lock.max = 7;
  EXPECT_EQ(queue_of(lock), 7u);
  for (Mode mode : {Mode::shared, Mode::exclusive}) {
    lock.mode = mode;
    EXPECT_EQ(queue_of(lock), kModeQueue);
  }
}

TEST(Layout, CallersAtTheLimitOfRecordShareOneQueue) {
  LockSpec own;
  RecordedLimit limit;
  for (const std::uint32_t max : {1u, 3u, kMaxSlots}) {
    limit.max = max;
    EXPECT_EQ(queue_of(rule::limited(own, limit)), kLimitQueue);
  }
  own.max_given = true;
  own.max = 2;
  EXPECT_EQ(queue_of(rule::limited(own, limit)), 2u) << "it is stricter";
  limit.max = 2;
  EXPECT_EQ(queue_of(rule::limited(own, limit)), kLimitQueue);
  EXPECT_EQ(file_queue(rule::queue_of(rule::limited(own, limit))), kLimitQueue);
}

}  // namespace
}  // namespace atmost::local
