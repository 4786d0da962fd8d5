// First come, first served: the long run.
#include "handoff_order.h"

namespace witness {
namespace {

TEST(HandoffOrder, OneAtATime) { expect_order(queue_plan(20'000, 1, 0), 100); }
TEST(HandoffOrder, WaitersDie) { expect_order(queue_plan(20'000, 1, 4), 100); }
TEST(HandoffOrder, FourAtATime) { expect_order(queue_plan(20'000, 4, 4), 100); }
TEST(HandoffOrder, HoldersWithoutSupervisor) {
  expect_order(queue_plan(5000, 1, 4, {"--exec"}), 100);
}

}  // namespace
}  // namespace witness
