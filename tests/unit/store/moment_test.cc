// By which moment a decision is made: one that was read when no other caller could decide.
#include <gtest/gtest.h>
#include "rule/judge.h"

#include <functional>

#include "lock_kit.h"

namespace atmost::local {
namespace {

std::function<void()> when_read;
Instant read_clock(const Request&) {
  when_read();
  return {1'700'000'000'000'000'000, 100'000'000'000'000'000, false};
}

class Moments : public ::testing::Test {
 protected:
  // The number of readings of the clock for one attempt, and of those while every lock was guarded.
  void attempt(LocalSession& session, Ticket* queue) {
    const Outsider first(directory_.path("0"));
    const Outsider second(directory_.path("1"));
    when_read = [&] {
      ++read_;
      const bool others = request_.lock_count < 2 || second.sees_lock(0, 8);
      guarded_ += first.sees_lock(0, 8) && others ? 1 : 0;
    };
    Lease lease;
    const Result<Decision> answer =
        rule::admit(session, request_, {policy::decide, read_clock, queue}, lease);
    ASSERT_TRUE(answer.ok()) << answer.error().message.c_str();
    admitted_ = answer.value().verdict == Verdict::admit;
    lease.release(Ending::success, {});
    if (queue != nullptr) session.withdraw(*queue);
  }
  void each_is_guarded() {
    request_.locks[0].path = kept(directory_.path("0"));
    request_.locks[1].path = kept(directory_.path("1"));
    const auto session = std::make_unique<LocalSession>();
    if (keeps_) session->set_keeping();
    Ticket ticket;
    for (Ticket* const queue : {static_cast<Ticket*>(nullptr), &ticket, &ticket}) {
      ASSERT_TRUE(session->open(request_).ok());
      attempt(*session, queue);
      EXPECT_TRUE(admitted_);
    }
    const Outsider holder(directory_.path("0"));
    ASSERT_TRUE(holder.lock_slot(1));
    for (Ticket* const queue : {static_cast<Ticket*>(nullptr), &ticket}) {
      ASSERT_TRUE(session->open(request_).ok());
      attempt(*session, queue);
      EXPECT_FALSE(admitted_);
    }
    EXPECT_GE(read_, 5u);
    EXPECT_EQ(guarded_, read_);
  }

  Directory directory_;
  Request request_;
  bool keeps_ = false;
  bool admitted_ = false;
  unsigned read_ = 0;
  unsigned guarded_ = 0;
};

TEST_F(Moments, AreReadUnderTheGuard) { each_is_guarded(); }

TEST_F(Moments, OfALibraryAreReadUnderTheGuard) {
  request_.kind = HolderKind::library;
  keeps_ = true;
  each_is_guarded();
}

TEST_F(Moments, OfSeveralLocksAreReadUnderAllGuards) {
  request_.lock_count = 2;
  each_is_guarded();
}

TEST_F(Moments, OfAWriterAreReadUnderTheGuard) {
  request_.locks[0].mode = Mode::exclusive;
  each_is_guarded();
}

}  // namespace
}  // namespace atmost::local
