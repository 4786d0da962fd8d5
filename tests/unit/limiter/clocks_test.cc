// Whole runs under clocks that leap: no run comes early, none is refused for ever.
#include <gtest/gtest.h>

#include "core/limiter.h"
#include "os/calls.h"
#include "os/self.h"
#include "store/local/hints.h"
#include "unit/store/lock_kit.h"

namespace atmost {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 3600 * kSecond;
constexpr std::int64_t kYear = 365 * 24 * kHour;

std::int64_t real_ahead;
std::int64_t boot_ahead;

int leaping_clock(clockid_t clock, struct timespec* to) {
  const int result = os::kRealCalls.clock_gettime(clock, to);
  const std::int64_t ns =
      to->tv_sec * kSecond + to->tv_nsec + (clock == CLOCK_REALTIME ? real_ahead : boot_ahead);
  *to = {ns / kSecond, ns % kSecond};
  return result;
}

class Clocks : public ::testing::Test {
 protected:
  Clocks() {
    real_ahead = boot_ahead = 0;
    os::calls.clock_gettime = leaping_clock;
    request_->locks[0].path = kept(directory_.path());
    request_->locks[0].name = "job";
    request_->if_elapsed = {kHour};
    request_->no_history = true;
  }
  ~Clocks() override { os::calls = os::kRealCalls; }

  bool runs() {
    char name[] = "/bin/true";
    char* argv[] = {name, nullptr};
    outcome_ = run_command(store_, *request_, {argv}, nullptr);
    return outcome_.kind == Outcome::Kind::ran;
  }
  // Refused as too soon; in so many minutes, rounded.
  std::int64_t minutes_left() {
    EXPECT_FALSE(runs());
    EXPECT_EQ(outcome_.kind, Outcome::Kind::refused);
    EXPECT_EQ(outcome_.decision.verdict, Verdict::too_soon);
    return (outcome_.decision.retry_in.ns + 30 * kSecond) / (60 * kSecond);
  }
  bool in_future() const { return outcome_.decision.last_in_future; }

  // As if the file had been written before the machine was started anew; the boot clock began
  // again.
  void another_boot() {
    const local::Outsider file(directory_.path());
    auto header = file.get<local::Header>(local::kHeaderAt);
    for (local::StampData* stamp : {&header.start, &header.finish, &header.success}) {
      stamp->boot ^= 1;
      stamp->boot_ns += kYear;
    }
    header.boot ^= 1;
    header.checksum = local::checksum_of(&header, sizeof header - sizeof header.checksum);
    file.put(header, local::kHeaderAt);
  }

  const local::Directory directory_;
  local::LocalStore store_;
  const std::unique_ptr<Request> request_ = std::make_unique<Request>();
  Outcome outcome_;
};

TEST_F(Clocks, AYearForwardChangesNothing) {
  ASSERT_TRUE(runs());
  real_ahead = kYear;
  EXPECT_EQ(minutes_left(), 60);
  EXPECT_FALSE(in_future());
  boot_ahead = kHour;
  EXPECT_TRUE(runs());
}

TEST_F(Clocks, AYearBackChangesNothing) {
  ASSERT_TRUE(runs());
  real_ahead = -kYear;
  boot_ahead = kHour / 2;
  EXPECT_EQ(minutes_left(), 30);
  EXPECT_FALSE(in_future());
  boot_ahead = kHour;
  EXPECT_TRUE(runs());
}

// Both clocks count what a machine slept.
TEST_F(Clocks, ASuspendedMachineHasWaited) {
  ASSERT_TRUE(runs());
  real_ahead = boot_ahead = 2 * kHour;
  EXPECT_TRUE(runs());
  EXPECT_EQ(minutes_left(), 60);
}

TEST_F(Clocks, AnotherBootGoesByTheWallClock) {
  ASSERT_TRUE(runs());
  another_boot();
  real_ahead = kHour / 2;
  EXPECT_EQ(minutes_left(), 30);
  EXPECT_FALSE(in_future());
  real_ahead = kHour;
  EXPECT_TRUE(runs());
}

// A machine without a battery for its clock: reported once, and the interval counts from now on.
TEST_F(Clocks, AnotherBootAYearBackRefusesForOneIntervalOnly) {
  ASSERT_TRUE(runs());
  another_boot();
  real_ahead = -kYear;
  EXPECT_EQ(minutes_left(), 60);
  EXPECT_TRUE(in_future());
  boot_ahead = kHour / 2;
  EXPECT_EQ(minutes_left(), 30);
  EXPECT_FALSE(in_future());
  real_ahead = kYear;  // and then the time comes over the network
  EXPECT_EQ(minutes_left(), 30);
  boot_ahead = kHour;
  EXPECT_TRUE(runs());
}

// A present holder has held since this boot: the wall clock makes nobody overdue.
TEST_F(Clocks, TheWallClockMakesNobodyOverdue) {
  local::User holder(directory_.path());
  holder.now = now();
  ASSERT_EQ(holder.ask(), "admit");
  local::User taker(directory_.path());
  taker.request.expire_after = {kHour};
  for (const std::int64_t step : {kYear, -kYear}) {
    real_ahead = step;
    taker.now = now();
    EXPECT_EQ(taker.ask(), "busy");
  }
  boot_ahead = kHour;
  taker.now = now();
  EXPECT_EQ(taker.ask(), "take over");
}

}  // namespace
}  // namespace atmost
