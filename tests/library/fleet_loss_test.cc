// Ends of a lock of the library in a fleet, other than its release.

#include "fleet_kit.h"

namespace {

class FleetLosses : public FleetLibrary {};

TEST_F(FleetLosses, AKilledProgramHoldsNothing) {
  const pid_t holder = start_holder([](atmost_lock*) {});
  EXPECT_EQ(get().answer(), ATMOST_BUSY);
  kill_and_wait(holder);
  EXPECT_TRUE(get_soon());
}

TEST_F(FleetLosses, AKilledSupervisor) { expect_loss_without(&FleetLosses::supervisor); }

TEST_F(FleetLosses, AKilledCommand) { expect_loss_without(&FleetLosses::command); }

TEST_F(FleetLosses, AKilledAsker) {
#ifdef ATMOST_PORTABLE
  GTEST_SKIP();
#endif
  expect_loss_without(&FleetLosses::asker);
}

TEST_F(FleetLosses, ATakerIsToldOf) {
  Loss loss;
  const atmost::Held held = get_told(loss);
  ASSERT_TRUE(held) << held.reason();
  atmost::Limits taker = limits_;
  taker.on_lost(nullptr, nullptr);
  taker.set("expire_after", 0);
  const atmost::Held taken = atmost::Named(name_).get_lock(taker);
  ASSERT_TRUE(taken) << taken.reason();
  EXPECT_TRUE(eventually([&] { return loss.token == held.token(); }));
  EXPECT_FALSE(held);
  EXPECT_TRUE(taken);
}

TEST_F(FleetLosses, MaxRuntimeEndsAHold) {
  Loss loss;
  limits_.set("max_runtime", 0.2);
  const atmost::Held held = get_told(loss);
  const std::uint64_t token = held.token();
  ASSERT_GT(token, 0u) << held.reason();
  EXPECT_TRUE(eventually([&] { return loss.token == token; }));
}

}  // namespace
