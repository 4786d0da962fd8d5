// At most K in any window of length T: rates, and the limits of the queue.
#include <random>

#include "contract.h"

namespace atmost::contract {
namespace {

constexpr Rate kThreeAMinute = {3, Duration::seconds(60)};
constexpr Rate kOneAMinute = {1, Duration::seconds(60)};

Caller& rated(Caller& caller, const Rate& rate) {
  caller.request.rate = rate;
  return caller;
}

Caller& waits_for(Caller& caller, const Rate& rate) {
  caller.request.on_too_soon = OnTooSoon::wait;
  return rated(caller, rate);
}

}  // namespace

TEST_P(StoreContract, TheWindowSlides) {
  NEEDS(rates);
  for (double moment : {0.0, 10.0, 20.0}) {
    Caller& caller = rated(one(9), kThreeAMinute);
    ASSERT_TRUE(caller.admitted(at(moment)));
    caller.release(Ending::success, at(moment));
  }
  Caller& fourth = rated(one(9), kThreeAMinute);
  const Decision early = fourth.ask(at(30));
  EXPECT_EQ(early.verdict, Verdict::too_soon);
  EXPECT_TRUE(early.rate_reached);
  EXPECT_EQ(early.retry_in.ns, Duration::seconds(30).ns);
  EXPECT_EQ(fourth.ask(at(59.999)).verdict, Verdict::too_soon);
  ASSERT_TRUE(fourth.admitted(at(60)));
  fourth.release();
  EXPECT_EQ(fourth.ask(at(61)).retry_in.ns, Duration::seconds(9).ns);
  EXPECT_TRUE(fourth.admitted(at(70)));
}

TEST_P(StoreContract, NoWindowHasMoreThanK) {
  NEEDS(rates);
  std::mt19937 random(20261123);
  std::uniform_real_distribution<double> pause(0, 14);
  std::vector<double> admitted;
  double now = 0;
  Caller& caller = rated(one(9), {5, Duration::seconds(60)});
  for (int i = 0; i < 200; ++i) {
    now += pause(random);
    int within = 0;
    for (double each : admitted) within += each > now - 60;
    const Decision answer = caller.ask(at(now));
    ASSERT_EQ(answer.verdict, within < 5 ? Verdict::admit : Verdict::too_soon) << now;
    if (within >= 5) continue;
    admitted.push_back(now);
    caller.release();
  }
}

TEST_P(StoreContract, FromTheFirstRateOnEveryAdmissionCounts) {
  NEEDS(rates);
  for (double moment : {0.0, 1.0, 2.0}) {
    Caller& plain = one(9);
    ASSERT_TRUE(plain.admitted(at(moment)));
    plain.release();
  }
  Caller& caller = rated(one(9), kThreeAMinute);
  ASSERT_TRUE(caller.admitted(at(3)));  // of those before, the last one counts
  caller.release();
  Caller& plain = one(9);
  ASSERT_TRUE(plain.admitted(at(4)));
  plain.release();
  EXPECT_EQ(caller.ask(at(5)).retry_in.ns, Duration::seconds(57).ns);
}

TEST_P(StoreContract, ARateAndAnIntervalBothHold) {
  NEEDS(rates);
  NEEDS(last_admission);
  Caller& caller = rated(one(9), {2, Duration::seconds(60)});
  caller.request.if_elapsed = Duration::seconds(20);
  ASSERT_TRUE(caller.admitted(at(0)));
  caller.release();
  const Decision interval = caller.ask(at(10));
  EXPECT_EQ(interval.retry_in.ns, Duration::seconds(10).ns);
  EXPECT_FALSE(interval.rate_reached);
  ASSERT_TRUE(caller.admitted(at(20)));
  caller.release();
  const Decision window = caller.ask(at(30));
  EXPECT_EQ(window.retry_in.ns, Duration::seconds(30).ns);
  EXPECT_TRUE(window.rate_reached);
}

TEST_P(StoreContract, AnAdmissionThatDidNotStartLeavesTheRate) {
  NEEDS(rates);
  NEEDS(withdraws);
  Caller& caller = rated(one(9), kThreeAMinute);
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(caller.admitted(at(i)));
    caller.release(Ending::not_started, at(i));
  }
  EXPECT_TRUE(caller.admitted(at(10)));
}

TEST_P(StoreContract, ForgetForgetsTheRate) {
  NEEDS(rates);
  Caller& caller = rated(one(9), {2, Duration::seconds(60)});
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(caller.admitted(at(i)));
    caller.release();
  }
  EXPECT_EQ(caller.ask(at(3)).verdict, Verdict::too_soon);
  forget();
  EXPECT_TRUE(caller.admitted(at(3)));
}

TEST_P(StoreContract, WaitersForARateAreServedInOrder) {
  NEEDS(rates);
  NEEDS(queue);
  Caller& before = rated(one(9), kOneAMinute);
  ASSERT_TRUE(before.admitted(at(0)));
  before.release();
  Caller& first = waits_for(one(9), kOneAMinute);
  Caller& second = waits_for(one(9), kOneAMinute);
  EXPECT_EQ(first.queue(at(1)).verdict, Verdict::too_soon);
  EXPECT_TRUE(first.ticket.drawn);
  EXPECT_EQ(first.ticket.due_boot_ns, at(60).boot_ns);
  EXPECT_EQ(second.queue(at(2)).verdict, Verdict::too_soon);
  EXPECT_EQ(second.queue(at(60)).why, Why::owed);
  EXPECT_EQ(first.queue(at(60.1)).verdict, Verdict::admit);
  EXPECT_EQ(second.queue(at(60.2)).verdict, Verdict::too_soon);
  EXPECT_EQ(second.queue(at(120.1)).verdict, Verdict::admit);
}

TEST_P(StoreContract, AWaiterForItsRateClaimsNoSlotBeforeItIsDue) {
  NEEDS(rates);
  NEEDS(queue);
  Caller& before = rated(one(1), kOneAMinute);
  ASSERT_TRUE(before.admitted(at(0)));
  before.release();
  Caller& early = waits_for(one(1), kOneAMinute);
  EXPECT_EQ(early.queue(at(1)).verdict, Verdict::too_soon);
  Caller& plain = one(1);
  EXPECT_TRUE(plain.admitted(at(2)));
  plain.release();
  EXPECT_EQ(early.queue(at(61)).verdict, Verdict::too_soon);
  EXPECT_EQ(early.queue(at(62)).verdict, Verdict::admit);
}

TEST_P(StoreContract, NoMoreWaitThanAllowed) {
  NEEDS(queue_limits);
  holder(1);
  waiter(1);
  waiter(1);
  Caller& refused = one(1);
  refused.request.queue_max = 2;
  const Decision full = refused.queue();
  EXPECT_EQ(full.verdict, Verdict::busy);
  EXPECT_EQ(full.why, Why::queue_full);
  EXPECT_FALSE(refused.ticket.drawn);
  Caller& allowed = one(1);
  allowed.request.queue_max = 3;
  EXPECT_EQ(allowed.queue().why, Why::no_slot);
  EXPECT_TRUE(allowed.ticket.drawn);
  EXPECT_EQ(allowed.queue().why, Why::no_slot);  // it does not count itself
}

TEST_P(StoreContract, TheNewestReplacesThoseThatSaidSoToo) {
  NEEDS(queue_limits);
  Caller& holds = holder(1);
  Caller& plain = waiter(1);
  Caller& older = one(1);
  older.request.on_busy = OnBusy::supersede;
  EXPECT_EQ(older.queue().why, Why::no_slot);
  Caller& newer = one(1);
  newer.request.on_busy = OnBusy::supersede;
  EXPECT_EQ(newer.queue().why, Why::no_slot);
  EXPECT_EQ(older.queue().why, Why::superseded);
  older.leave();
  EXPECT_EQ(plain.queue().why, Why::no_slot);
  EXPECT_EQ(newer.queue().why, Why::no_slot);
  holds.release();
  EXPECT_EQ(plain.queue().verdict, Verdict::admit);
  plain.release();
  EXPECT_EQ(newer.queue().verdict, Verdict::admit);
}

}  // namespace atmost::contract
