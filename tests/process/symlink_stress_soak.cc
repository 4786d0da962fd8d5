// A holder that is killed again and again: the long run.
#include "symlink_stress.h"

namespace witness {
namespace {

TEST_F(SymlinkStress, FiftyOfOurs) { expect_it_holds({50, 0, 1000, 0, true}); }
TEST_F(SymlinkStressWithoutReusedNumbers, OldAndNewWhereNobodyDies) {
  expect_it_holds({25, 25, 0, 60, true});
}
TEST_F(SymlinkStress, NeverTwoOfOursAmongOldOnes) { expect_it_holds({25, 25, 500, 100, false}); }

}  // namespace
}  // namespace witness
