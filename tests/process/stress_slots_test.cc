// Never more than N at a time, with deaths at any moment. The short run; stress_slots_soak.cc has
// the long one.
#include "stress_slots.h"

namespace witness {
namespace {

// Short, so it kills more often.
Plan brief(Plan plan) {
  plan.kill_every = Bound(15);
#ifdef ATMOST_TESTS_SLOW
  plan.admissions /= 15;
  plan.workers = 24;
#endif
  return plan;
}

#ifdef ATMOST_PORTABLE
// A POSIX lock does not outlive its process: a killed supervisor's command runs on without a slot,
// as documented.
TEST_F(StressSlots, Portable) {
  Plan plan = plain(1500);
  plan.recipes = {waiting({"--exec", "--until=close"}), stranger(), waiting({})};
  plan.recipes.back().supervisor_may_die = false;
  plan.end_by_killing = true;
  expect_never_too_many(brief(plan));
}
#else
TEST_F(StressSlots, Plain) { expect_never_too_many(brief(plain(3000))); }
TEST_F(StressSlots, EveryWayToKeepASlot) { expect_never_too_many(brief(mixed_modes(1500))); }
TEST_F(StressSlots, DifferentLimits) { expect_never_too_many(brief(mixed_limits(1500))); }
TEST_F(StressSlots, SeveralSlotsEach) { expect_never_too_many(brief(weights(1000))); }
TEST_F(StressSlots, AmongStrangers) { expect_never_too_many(brief(strangers(1500))); }
#endif

}  // namespace
}  // namespace witness
