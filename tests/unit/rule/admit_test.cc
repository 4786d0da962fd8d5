// One attempt: look, judge, apply.
#include "rule/judge.h"

#include "judge_kit.h"

namespace atmost::rule {
namespace {

Instant moment(const Request&) { return kNow; }

// `changes`: so many times another caller is faster.
class FakeSession final : public Session {
 public:
  explicit FakeSession(const Request& request) : request_(request) {}

  Status look(const Attempt& attempt, Looked& to) override {
    EXPECT_TRUE(attempt.looks == 0 || looks > 0);
    ++looks;
    if (fails) return error_of(Code::io, 0, "no look");
    if (refusal != Why::none || looks > most) to.refuse(refusal).culprit = 77;
    if (answers) to.answer.verdict = Verdict::admit;
    if (answers) to.held = &held;
    to.answered = to.answered || answers;
    to.now = attempt.moment(request_);
    to.turns_boot_ns = to.now.boot_ns;
    lock.look(asker_of(request_, attempt.queue, 0));
    if (breaks) lock.facts.break_down();
    to.locks = {&facts_, 1};
    return {};
  }
  Status apply(const Plan& plan, const Instant&, Ticket*, Applied& to) override {
    ++applied;
    if (plan.failed != nullptr) return *plan.failed;
    to.changed = plan.admits() && changes > 0;
    if (to.changed) --changes;
    if (plan.admits() && !to.changed) to.held = &held;
    return {};
  }
  void end(const End& what) override { released += what.of == End::Of::hold ? 1 : 0; }

  TestLock lock;
  HeldLock held;
  Why refusal = Why::none;
  bool answers = false;
  int released = 0;
  int most = 100;
  bool fails = false;
  bool breaks = false;
  int changes = 0;
  int looks = 0;
  int applied = 0;

 private:
  const Request& request_;
  Facts* facts_ = &lock.facts;
};

class Admit : public ::testing::Test {
 protected:
  Admit() { request.lock_count = 1; }
  Result<Decision> ask() { return admit(session, request, {policy::decide, moment}, lease); }
  Request request;
  FakeSession session{request};
  Lease lease;
};

TEST_F(Admit, HoldsWhatWasApplied) {
  ASSERT_TRUE(ask().ok());
  EXPECT_TRUE(lease.held());
  EXPECT_EQ(session.looks, 1);
  lease.release(Ending::success, kNow);
  EXPECT_EQ(session.released, 1);
}

TEST_F(Admit, ARefusalEndsTheCriticalSectionToo) {
  session.lock.hold({1});
  EXPECT_EQ(ask().value().why, Why::no_slot);
  EXPECT_FALSE(lease.held());
  EXPECT_EQ(session.applied, 1);
}

TEST_F(Admit, LooksAgainWhileOthersAreFaster) {
  session.changes = 3;
  EXPECT_EQ(ask().value().verdict, Verdict::admit);
  EXPECT_TRUE(lease.held());
  EXPECT_EQ(session.looks, 4);
}

TEST_F(Admit, EndsByALookWhereItIsAlwaysTooLate) {
  session.changes = 1000;
  const Result<Decision> answer = ask();
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.value().verdict, Verdict::busy);
  EXPECT_EQ(answer.value().culprit, 77);
  EXPECT_FALSE(lease.held());
}

TEST_F(Admit, HoldsWhatALookHasJudgedItself) {
  session.answers = true;
  ASSERT_TRUE(ask().ok());
  EXPECT_EQ(&lease.lock(0), &session.held);
  EXPECT_EQ(session.applied, 0);
}

TEST_F(Admit, IsRefusedWithoutACriticalSection) {
  session.refusal = Why::guard;
  const Result<Decision> answer = ask();
  EXPECT_EQ(answer.value().why, Why::guard);
  EXPECT_EQ(answer.value().culprit, 77);
  EXPECT_EQ(session.applied, 0);
}

TEST_F(Admit, FailsWithTheLookOrWithAFact) {
  session.breaks = true;
  EXPECT_EQ(ask().error().message.view(), "broken");
  EXPECT_EQ(session.applied, 1);
  session.fails = true;
  EXPECT_EQ(ask().error().message.view(), "no look");
  EXPECT_EQ(session.applied, 1);
  EXPECT_FALSE(lease.held());
}

}  // namespace
}  // namespace atmost::rule
