// The limit of record beside the callers' own.
#include "judge_kit.h"

namespace atmost::rule {
namespace {

TEST_F(Judge, TheLimitOfRecordHoldsForEveryCaller) {
  limit.max = 2;
  lock.hold({1, 5});
  for (const std::uint32_t own : {2u, 9u, kMaxSlots}) {
    spec().max = own;
    spec().max_given = true;
    EXPECT_EQ(ask().decision.why, Why::no_slot);
    EXPECT_EQ(decision.max, 2u);
    EXPECT_TRUE(decision.limited);
  }
  lock.holders.pop_back();
  EXPECT_TRUE(ask().admits());
  EXPECT_EQ(lock.facts.reserved()[0], 2u);
}

TEST_F(Judge, AStricterLimitOfTheCallerHoldsBesideIt) {
  limit.max = 3;
  lock.hold({1});
  EXPECT_TRUE(ask().admits()) << "without one of its own";
  spec().max_given = true;
  EXPECT_EQ(ask().decision.why, Why::no_slot);
  EXPECT_FALSE(decision.limited);
  spec().max = 0;
  EXPECT_EQ(ask().decision.why, Why::zero);
}

TEST_F(Judge, MoreSlotsThanTheLimitOfRecordAreRefusedAtOnce) {
  limit.max = 2;
  spec().max = 5;
  spec().take = 3;
  spec().max_given = true;
  EXPECT_EQ(ask(true).step, QueueStep::stay);
  EXPECT_EQ(decision.why, Why::above_limit);
  EXPECT_FALSE(worth_waiting(decision));
}

TEST_F(Judge, CallersAtTheLimitOfRecordWaitInOneQueue) {
  limit.max = 1;
  lock.wait(5, kLimitQueue);
  spec().max = 9;
  spec().max_given = true;
  EXPECT_EQ(ask().decision.why, Why::owed);
  limit.max = 9;
  EXPECT_TRUE(ask().admits()) << "there is room for both";
  spec().take = 9;
  EXPECT_EQ(ask().decision.why, Why::owed);
}

TEST_F(Judge, EveryRateOfTheLimitOfRecordHolds) {
  limit.max = kMaxSlots;
  limit.rate_count = 2;
  limit.rates[0] = {1, Duration::seconds(10)};
  limit.rates[1] = {1, Duration::seconds(60)};
  lock.state.last.start = seconds_ago(20);
  EXPECT_EQ(ask().decision.verdict, Verdict::too_soon);
  EXPECT_TRUE(decision.rate_reached);
  EXPECT_EQ(decision.retry_in, Duration::seconds(40));
  EXPECT_EQ(decision.rate.window, Duration::seconds(60));
  lock.state.last.start = seconds_ago(60);
  EXPECT_TRUE(ask().admits());
  EXPECT_EQ(lock.facts.plan.appended_count, 2u) << "the ring begins";
  request.rate = {1, Duration::seconds(70)};
  EXPECT_EQ(ask().decision.retry_in, Duration::seconds(10)) << "its own is stricter";
  EXPECT_EQ(decision.rate.window, Duration::seconds(70));
}

}  // namespace
}  // namespace atmost::rule
