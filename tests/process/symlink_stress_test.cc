// A holder that is killed again and again: never two inside. symlink_stress_soak.cc has the long
// run.
#include "symlink_stress.h"

namespace witness {
namespace {

TEST_F(SymlinkStress, FiftyOfOurs) { expect_it_holds({50, 0, 50, 0, true}); }

// No link is left behind here, so no old one has anything to remove.
TEST_F(SymlinkStressWithoutReusedNumbers, OldAndNewWhereNobodyDies) {
  expect_it_holds({8, 8, 0, 8, true});
}

// The race of old versions may admit one of them beside any holder, but never two of ours.
TEST_F(SymlinkStress, NeverTwoOfOursAmongOldOnes) { expect_it_holds({12, 8, 25, 5, false}); }

}  // namespace
}  // namespace witness
