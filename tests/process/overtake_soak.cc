// A turn is used or passed: the long run.
#include "paused_lanes.h"

namespace witness {
namespace {

constexpr Bound kPatience{1'200'000};

TEST(PausedAtTheHandover, Stopped) { expect_nobody_fails("stop", 20, 150, kPatience); }
TEST(PausedAtTheHandover, Frozen) { expect_nobody_fails("freeze", 20, 150, kPatience); }

}  // namespace
}  // namespace witness
