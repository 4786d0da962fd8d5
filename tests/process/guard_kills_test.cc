// A process that is killed in the midst of a decision leaves the guard free. Built twice: the long
// run (guard_kills_soak) kills at every call.
#include "guard_kills.h"

namespace witness {
namespace {

#ifdef GUARD_KILLS_SOAK
constexpr bool kSoak = true;
#else
constexpr bool kSoak = false;
#endif

// Of a scene whose calls are too many for the short run.
constexpr unsigned every(unsigned nth) { return kSoak ? 0 : nth; }

TEST_F(GuardScenes, AroundTheEndOfACommand) { kill_around_the_end(kSoak ? 20'000 : 300); }
TEST_F(GuardScenes, Run) { run(0, {}); }
#ifdef GUARD_KILLS_SOAK
TEST_F(GuardScenes, RunOfSeveralSlots) { run(0, {"-n", "3", "-k", "2"}); }
#endif
TEST_F(GuardScenes, RunExclusively) { run(0, {"--exclusive"}); }
TEST_F(GuardScenes, RunWithoutADescriptor) { run(0, {"--close"}); }
TEST_F(GuardScenes, RunUntilTheTreeHasGone) { tree(0); }
TEST_F(GuardScenes, Exec) { exec(0); }
TEST_F(GuardScenes, Waiter) { waiter(0, {"-w", "60"}); }
TEST_F(GuardScenes, WaiterThatJoins) { waiter(0, {"--on-busy=join"}); }
TEST_F(GuardScenes, Taker) { taker(every(61)); }
TEST_F(GuardScenes, Kill) { killing(every(61)); }
TEST_F(GuardScenes, Resume) { draining(0); }
TEST_F(GuardScenes, Hold) { hold(0); }
TEST_F(GuardScenes, Keeper) { keeper(0); }
TEST_F(GuardScenes, Library) { library(every(4)); }
TEST_F(GuardScenes, LibraryAgain) { library_again(every(3)); }
TEST_F(GuardScenes, LibraryThatWaits) { library_that_waits(every(3)); }

}  // namespace
}  // namespace witness
