// First come, first served. The short run; handoff_order_soak.cc has the long one.
#include "handoff_order.h"

namespace witness {
namespace {

TEST(HandoffOrder, OneAtATime) { expect_order(queue_plan(1500, 1, 0)); }
TEST(HandoffOrder, WaitersDie) { expect_order(queue_plan(600, 1, 3)); }
TEST(HandoffOrder, FourAtATime) { expect_order(queue_plan(600, 4, 5)); }
TEST(HandoffOrder, HoldersWithoutSupervisor) { expect_order(queue_plan(300, 1, 5, {"--exec"})); }
TEST(HandoffOrder, HoldersUntilClose) {
  expect_order(queue_plan(300, 1, 5, {"--exec", "--until=close"}));
}

}  // namespace
}  // namespace witness
