// Who is killed in the midst of a decision leaves the guard to nobody: the short run; guard_kills_soak.cc has the long.
#include "guard_kills.h"

namespace witness {
namespace {

TEST_F(GuardScenes, AroundTheEndOfACommand) { kill_around_the_end(400); }
TEST_F(GuardScenes, Run) { run(1, {}); }
TEST_F(GuardScenes, RunExclusively) { run(3, {"--exclusive"}); }
TEST_F(GuardScenes, RunWithoutADescriptor) { run(5, {"--close"}); }
TEST_F(GuardScenes, RunUntilTheTreeHasGone) { tree(5); }
TEST_F(GuardScenes, Exec) { exec(3); }
TEST_F(GuardScenes, Waiter) { waiter(3, {"-w", "60"}); }
TEST_F(GuardScenes, WaiterThatJoins) { waiter(9, {"--on-busy=join"}); }
TEST_F(GuardScenes, Taker) { taker(151); }
TEST_F(GuardScenes, Kill) { killing(151); }
TEST_F(GuardScenes, Resume) { draining(3); }
TEST_F(GuardScenes, Hold) { hold(3); }
TEST_F(GuardScenes, Keeper) { keeper(1); }
TEST_F(GuardScenes, Library) { library(3); }
TEST_F(GuardScenes, LibraryThatWaits) { library_that_waits(5); }

}  // namespace
}  // namespace witness
