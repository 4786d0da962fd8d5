// Who is killed in the midst of a decision leaves the guard to nobody: the short run;
// guard_kills_soak.cc has the long.
#include "guard_kills.h"

namespace witness {
namespace {

TEST_F(GuardScenes, AroundTheEndOfACommand) { kill_around_the_end(300); }
TEST_F(GuardScenes, Run) { run(0, {}); }
TEST_F(GuardScenes, RunExclusively) { run(0, {"--exclusive"}); }
TEST_F(GuardScenes, RunWithoutADescriptor) { run(0, {"--close"}); }
TEST_F(GuardScenes, RunUntilTheTreeHasGone) { tree(0); }
TEST_F(GuardScenes, Exec) { exec(0); }
TEST_F(GuardScenes, Waiter) { waiter(0, {"-w", "60"}); }
TEST_F(GuardScenes, WaiterThatJoins) { waiter(0, {"--on-busy=join"}); }
TEST_F(GuardScenes, Taker) { taker(61); }
TEST_F(GuardScenes, Kill) { killing(61); }
TEST_F(GuardScenes, Resume) { draining(0); }
TEST_F(GuardScenes, Hold) { hold(0); }
TEST_F(GuardScenes, Keeper) { keeper(0); }
TEST_F(GuardScenes, Library) { library(4); }
TEST_F(GuardScenes, LibraryThatWaits) { library_that_waits(3); }

}  // namespace
}  // namespace witness
