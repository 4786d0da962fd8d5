// Waiting for a lock in a fleet, and giving the wait up.
#include <cmath>

#include "fleet_kit.h"

namespace {

class FleetWaits : public FleetLibrary {};

TEST_F(FleetWaits, ACancelledWaitLeavesTheQueue) {
  const atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  limits_.set("wait", INFINITY);
  atmost_pending* request = nullptr;
  ASSERT_EQ(begin_by(name_.c_str(), limits_, &request), ATMOST_ADMITTED);
  EXPECT_TRUE(eventually([&] { return any_waits(); }));
  EXPECT_EQ(atmost_answered(request), 0);
  atmost_cancel(request);
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_finish(request, &lock), ATMOST_INTERRUPTED);
  EXPECT_TRUE(eventually([&] { return !any_waits(); }));
}

TEST_F(FleetWaits, AnInterruptedWaitLeavesTheQueue) {
  const atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, &before);
  limits_.set("wait", INFINITY);
  limits_.interruptible();
  std::atomic<int> answer{-1};
  std::thread waiter([&] { answer = get().answer(); });
  EXPECT_TRUE(eventually([&] { return any_waits(); }));
  pthread_kill(waiter.native_handle(), SIGUSR1);
  waiter.join();
  EXPECT_EQ(answer, ATMOST_INTERRUPTED);
  EXPECT_TRUE(eventually([&] { return !any_waits(); }));
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(FleetWaits, AKilledWaiterLeavesTheQueue) {
  const atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  const pid_t waiter = fork();
  if (waiter == 0) {
    limits_.set("wait", INFINITY);
    (void)get();
    _exit(1);
  }
  EXPECT_TRUE(eventually([&] { return any_waits(); }));
  kill_and_wait(waiter);
  EXPECT_TRUE(eventually([&] { return !any_waits(); }));
}

TEST_F(FleetWaits, ARequestIsAnsweredWhenTheLockIsFree) {
  atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  limits_.set("wait", 60);
  atmost_pending* request = nullptr;
  ASSERT_EQ(begin_by(name_.c_str(), limits_, &request), ATMOST_ADMITTED);
  EXPECT_TRUE(eventually([&] { return any_waits(); }));
  held.release(true);
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_finish(request, &lock), ATMOST_ADMITTED) << atmost_message();
  atmost_release(lock, 1);
}

}  // namespace
