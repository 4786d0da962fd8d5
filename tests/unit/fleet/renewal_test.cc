#include "store/fleet/renewal.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <ctime>

#include "os/clock.h"

namespace atmost::fleet {
namespace {

// A store that answers every renewal alike, after `pause`.
class Store final : public Renewer {
 public:
  explicit Store(Renewed answer, Duration pause = {}) : answer_(answer), pause_(pause) {}
  Renewed renew(std::int64_t) override {
    ++asked;
    os::sleep_until(os::boot_ns() + pause_.ns);
    return answer_;
  }
  bool asked_to_stop(std::int64_t until_boot_ns) override {
    os::sleep_until(until_boot_ns);
    return false;
  }

  std::atomic<int> asked = 0;

 private:
  const Renewed answer_;
  const Duration pause_;
};

// With SIGCHLD held back, as the gate of signals does it.
class RenewalTest : public ::testing::Test {
 protected:
  static constexpr Duration kTtl = Duration::seconds(60);
  static constexpr Duration kPause = Duration::millis(5);

  RenewalTest() {
    sigemptyset(&child_);
    sigaddset(&child_, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_, &before_);
  }
  ~RenewalTest() override { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  bool told() const {
    const struct timespec patience = {20, 0};
    return sigtimedwait(&child_, nullptr, &patience) == SIGCHLD;
  }

  Renewal renewal_;

 private:
  sigset_t child_;
  sigset_t before_;
};

// A timer that is set for the end before would continue a supervisor that somebody stopped.
TEST_F(RenewalTest, ANewEndIsTold) {
  Store store(Renewed::yes);
  const std::int64_t sent = os::boot_ns();
  ASSERT_EQ(renewal_.start(store, sent, kTtl, kPause), 0);
  ASSERT_TRUE(told());
  EXPECT_GE(store.asked, 1);
  EXPECT_GE(renewal_.upkeep().until_boot_ns, sent + kTtl.ns + kPause.ns);
  EXPECT_FALSE(renewal_.upkeep().lost);
  renewal_.stop();
}

TEST_F(RenewalTest, ALossIsToldAndNobodyAsksAgain) {
  Store store(Renewed::lost);
  ASSERT_EQ(renewal_.start(store, os::boot_ns(), kTtl, kPause), 0);
  ASSERT_TRUE(told());
  EXPECT_TRUE(renewal_.upkeep().lost);
  renewal_.stop();
  EXPECT_EQ(store.asked, 1);
}

// Its end has passed before anybody was asked: the store could only revive what somebody else may
// have by now.
TEST_F(RenewalTest, WhatHasEndedIsNotRenewed) {
  Store store(Renewed::yes);
  ASSERT_EQ(renewal_.start(store, os::boot_ns() - kTtl.ns, kTtl, kPause), 0);
  ASSERT_TRUE(told());
  EXPECT_TRUE(renewal_.upkeep().lost);
  renewal_.stop();
  EXPECT_EQ(store.asked, 0);
}

// The rest of the time belongs to the stopping of the command, which a late renewal would undo.
TEST_F(RenewalTest, WithinTheReserveNothingIsRenewed) {
  Store store(Renewed::yes);
  const std::int64_t sent = os::boot_ns() - kTtl.ns / 2;
  ASSERT_EQ(renewal_.start(store, sent, kTtl, kPause, {kTtl.ns / 4 * 3}), 0);
  os::sleep_until(os::boot_ns() + 3 * kPause.ns);
  renewal_.stop();
  EXPECT_EQ(store.asked, 0);
  EXPECT_FALSE(renewal_.upkeep().lost);
  EXPECT_EQ(renewal_.upkeep().until_boot_ns, sent + kTtl.ns);
}

// As when the process is stopped between the request and its answer.
TEST_F(RenewalTest, AnAnswerWithinTheReserveComesTooLate) {
  Store store(Renewed::yes, kPause);
  const std::int64_t sent = os::boot_ns() - kTtl.ns / 2;
  // The renewal begins just before the reserve, and takes longer than what is left until then.
  const Duration reserve = {sent + kTtl.ns - os::boot_ns() - kPause.ns / 2};
  ASSERT_EQ(renewal_.start(store, sent, kTtl, kPause, reserve), 0);
  os::sleep_until(os::boot_ns() + 3 * kPause.ns);
  renewal_.stop();
  EXPECT_EQ(renewal_.upkeep().until_boot_ns, sent + kTtl.ns);
}

}  // namespace
}  // namespace atmost::fleet
