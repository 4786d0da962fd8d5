// At most once every T: the last admission, and the runs that count as one.
#include "contract.h"

namespace atmost::contract {
namespace {

constexpr Duration kMinute = Duration::seconds(60);
constexpr Instant kNextYear = {kEpochNs + 365 * 86'400 * std::int64_t{1'000'000'000}, 0, true};

}  // namespace

TEST_P(StoreContract, TooSoonUntilTheIntervalIsOver) {
  NEEDS(several_slots);
  NEEDS(last_admission);
  holder(2).release();
  Caller& caller = one(2);
  caller.request.if_elapsed = kMinute;
  const Decision early = caller.ask(at(59.5));
  EXPECT_EQ(early.verdict, Verdict::too_soon);
  EXPECT_EQ(early.retry_in.ns, Duration::millis(500).ns);
  EXPECT_TRUE(caller.admitted(at(60)));
  caller.release();
  EXPECT_EQ(caller.ask(at(61)).verdict, Verdict::too_soon);  // the interval began anew
}

TEST_P(StoreContract, OnceAndNeverAgainUntilForgotten) {
  NEEDS(last_admission);
  Caller& caller = one(1);
  caller.request.if_elapsed = Duration::forever();
  EXPECT_TRUE(caller.admitted());
  caller.release();
  const Decision never = caller.ask(at(1e8));
  EXPECT_EQ(never.verdict, Verdict::too_soon);
  EXPECT_TRUE(never.retry_in.is_forever());
  forget();
  EXPECT_TRUE(caller.admitted(at(2)));
}

TEST_P(StoreContract, TooSoonWritesNothingAndDrawsNoTicket) {
  NEEDS(last_admission);
  holder(1).release();
  Caller& caller = one(1);
  caller.request.if_elapsed = kMinute;
  const std::optional<std::string> before = world_->bytes();
  EXPECT_EQ(caller.queue(at(1)).verdict, Verdict::too_soon);
  EXPECT_FALSE(caller.ticket.drawn);
  EXPECT_EQ(world_->bytes(), before);
}

TEST_P(StoreContract, AnAdmissionWhoseCommandDidNotStartDoesNotCount) {
  NEEDS(last_admission);
  NEEDS(withdraws);
  for (ElapsedFrom from : {ElapsedFrom::start, ElapsedFrom::finish, ElapsedFrom::success}) {
    forget();
    Caller& caller = one(1);
    caller.request.if_elapsed = kMinute;
    caller.request.elapsed_from = from;
    ASSERT_TRUE(caller.admitted(at(0)));
    caller.release(Ending::success, at(10));
    ASSERT_TRUE(caller.admitted(at(80)));
    caller.release(Ending::not_started, at(80));
    EXPECT_TRUE(caller.admitted(at(81)));
    caller.release(Ending::success, at(81));
    EXPECT_EQ(caller.ask(at(140)).verdict, Verdict::too_soon);
  }
}

TEST_P(StoreContract, ALaterAdmissionStaysTheNewest) {
  NEEDS(several_slots);
  NEEDS(last_admission);
  NEEDS(withdraws);
  Caller& first = one(2);
  ASSERT_TRUE(first.admitted(at(0)));
  Caller& second = one(2);
  ASSERT_TRUE(second.admitted(at(1)));
  first.release(Ending::not_started, at(2));
  Caller& asks = one(2);
  asks.request.if_elapsed = kMinute;
  EXPECT_EQ(asks.ask(at(60)).verdict, Verdict::too_soon);
  EXPECT_EQ(asks.ask(at(60)).retry_in.ns, Duration::seconds(1).ns);
}

TEST_P(StoreContract, AForgottenAdmissionIsNotBroughtBack) {
  NEEDS(last_admission);
  NEEDS(withdraws);
  Caller& before = one(1);
  ASSERT_TRUE(before.admitted(at(0)));
  before.release(Ending::success, at(0));
  Caller& caller = one(1);
  ASSERT_TRUE(caller.admitted(at(1)));
  forget();
  caller.release(Ending::not_started, at(2));
  Caller& asks = one(1);
  asks.request.if_elapsed = kMinute;
  EXPECT_TRUE(asks.admitted(at(3)));
}

TEST_P(StoreContract, MeasuredFromTheFinishOrTheLastSuccess) {
  NEEDS(last_admission);
  Caller& caller = one(1);
  caller.request.if_elapsed = kMinute;
  const auto verdict = [&caller](ElapsedFrom from, double when) {
    caller.again().elapsed_from = from;
    const Verdict answer = caller.ask(at(when)).verdict;
    if (answer == Verdict::admit) caller.release(Ending::unknown, at(when));
    return answer;
  };
  ASSERT_TRUE(caller.admitted(at(0)));
  caller.release(Ending::success, at(30));
  EXPECT_EQ(verdict(ElapsedFrom::finish, 89), Verdict::too_soon);
  EXPECT_EQ(verdict(ElapsedFrom::success, 89), Verdict::too_soon);
  ASSERT_EQ(verdict(ElapsedFrom::start, 70), Verdict::admit);

  ASSERT_EQ(verdict(ElapsedFrom::start, 200), Verdict::admit);
  Caller& failing = one(1);
  ASSERT_TRUE(failing.admitted(at(300)));
  failing.release(Ending::failure, at(310));
  EXPECT_EQ(verdict(ElapsedFrom::finish, 320), Verdict::too_soon);
  EXPECT_EQ(verdict(ElapsedFrom::success, 320), Verdict::admit);
}

TEST_P(StoreContract, TheAgeOfTheLastSuccess) {
  NEEDS(last_admission);
  const auto age = [this](double when) {
    return one(1).ask(at(when), policy::since_success).retry_in;
  };
  EXPECT_TRUE(age(0).is_forever());
  Caller& failing = one(1);
  ASSERT_TRUE(failing.admitted(at(1)));
  failing.release(Ending::failure, at(2));
  EXPECT_TRUE(age(3).is_forever());
  Caller& caller = one(1);
  ASSERT_TRUE(caller.admitted(at(10)));
  EXPECT_TRUE(age(11).is_forever());
  caller.release(Ending::success, at(20));
  EXPECT_EQ(age(80).ns, kMinute.ns);
  ASSERT_TRUE(failing.admitted(at(90)));
  EXPECT_EQ(age(140).ns, Duration::seconds(120).ns);
  failing.release(Ending::failure, at(150));
  EXPECT_EQ(age(140).ns, Duration::seconds(120).ns);
  const Decision early = one(1).ask(at(19), policy::since_success);
  EXPECT_TRUE(early.last_in_future);
  EXPECT_TRUE(early.retry_in.is_forever());
}

TEST_P(StoreContract, NothingIsTooSoonWithoutSuchAMoment) {
  NEEDS(last_admission);
  for (ElapsedFrom from : {ElapsedFrom::start, ElapsedFrom::finish, ElapsedFrom::success}) {
    Caller& caller = one(1);
    caller.request.if_elapsed = Duration::forever();
    caller.request.elapsed_from = from;
    EXPECT_TRUE(caller.admitted(at(1)));
    caller.release(Ending::unknown);  // its end is not known: neither a finish nor a success
  }
}

// A wall clock that was set back must not close a lock for the years until it catches up.
TEST_P(StoreContract, ALastAdmissionInTheFutureIsReportedAndCountsFromNow) {
  NEEDS(last_admission);
  Caller& early = one(1);
  ASSERT_TRUE(early.admitted(kNextYear));
  early.release();

  Caller& caller = one(1);
  caller.request.if_elapsed = kMinute;
  const Decision refused = caller.ask(at(0));
  EXPECT_EQ(refused.verdict, Verdict::too_soon);
  EXPECT_TRUE(refused.last_in_future);
  EXPECT_EQ(refused.retry_in.ns, kMinute.ns);
  const Decision again = caller.ask(at(59));
  EXPECT_EQ(again.verdict, Verdict::too_soon);
  EXPECT_FALSE(again.last_in_future);
  EXPECT_TRUE(caller.admitted(at(60)));
}

TEST_P(StoreContract, AStartInTheFutureMakesNoSuccess) {
  NEEDS(last_admission);
  Caller& early = one(1);
  ASSERT_TRUE(early.admitted(kNextYear));
  early.release(Ending::unknown);

  Caller& caller = one(1);
  caller.request.if_elapsed = kMinute;
  ASSERT_EQ(caller.ask(at(0)).verdict, Verdict::too_soon);
  caller.again().elapsed_from = ElapsedFrom::success;
  EXPECT_TRUE(caller.admitted(at(1)));
}

TEST_P(StoreContract, AGivenTimeIsComparedByTheWallClock) {
  NEEDS(last_admission);
  Caller& caller = one(1);
  ASSERT_TRUE(caller.admitted({kEpochNs, 0, true}));
  caller.release();
  caller.again().if_elapsed = kMinute;
  EXPECT_EQ(caller.ask({kEpochNs + 59'000'000'000, kUptimeNs * 2, true}).verdict,
            Verdict::too_soon);
  EXPECT_TRUE(caller.admitted({kEpochNs + 60'000'000'000, 0, true}));
}

TEST_P(StoreContract, AStepOfTheWallClockWithinOneBootChangesNothing) {
  NEEDS(last_admission);
  holder(1).release();
  Caller& caller = one(1);
  caller.request.if_elapsed = kMinute;
  Instant stepped = at(30);
  stepped.real_ns += std::int64_t{86'400'000'000'000};
  EXPECT_EQ(caller.ask(stepped).verdict, Verdict::too_soon);
  stepped = at(60);
  stepped.real_ns -= std::int64_t{86'400'000'000'000};
  EXPECT_TRUE(caller.admitted(stepped));
}

TEST_P(StoreContract, ForgettingAnUnknownLockIsNoMistake) {
  forget();
  EXPECT_TRUE(one(1).admitted());
}

}  // namespace atmost::contract
