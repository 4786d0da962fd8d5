// Never more than N at a time, with deaths at any moment: the long run.
#include "stress_slots.h"

namespace witness {
namespace {

TEST_F(StressSlots, Plain) { expect_never_too_many(plain(100'000)); }
TEST_F(StressSlots, EveryWayToKeepASlot) { expect_never_too_many(mixed_modes(30'000)); }
TEST_F(StressSlots, DifferentLimits) { expect_never_too_many(mixed_limits(30'000)); }
TEST_F(StressSlots, SeveralSlotsEach) { expect_never_too_many(weights(20'000)); }
TEST_F(StressSlots, AmongStrangers) { expect_never_too_many(strangers(30'000)); }

}  // namespace
}  // namespace witness
