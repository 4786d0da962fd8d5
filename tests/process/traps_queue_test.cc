// The order of arrivals: the traps of waiting.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "traps_stage.h"

namespace witness {
namespace {

using Waiting = Stage;

const Argv kWait{"-w", "inf"};

// A waiter that stands in the middle must not make the one behind it a second head.
TEST_F(Waiting, KilledInTheMiddleKeepsTheOrder) {
  for (int round = 0; round < 5; ++round) {
    const Tag holder = hold(run({}));
    const Tag first = queue(run(kWait));
    const Tag second = queue(run(kWait));
    const Tag third = queue(run(kWait));
    const Tag fourth = queue(run(kWait));
    const Tag fifth = queue(run(kWait));
    for (Tag tag : {second, fourth})
      ASSERT_TRUE(world_.signal_descendant(pid_of(tag), SIGKILL, true));
    const std::size_t before = order().size();  // before the first can come inside
    let_go(holder);
    for (Tag tag : {first, third, fifth}) {
      ASSERT_TRUE(comes_inside(tag));
      let_go(tag);
      EXPECT_EQ(end_of(tag), "exit 0");
    }
    EXPECT_EQ(order().size(), before + 3);
  }
}

// Its POSIX lock ends with it, but a child has the descriptor: nothing is closed, and no waiter
// gets an event.
TEST_F(Waiting, AHolderThatRaisesNoEvent) {
  int stay[2];
  int ready[2];
  ASSERT_EQ(pipe2(stay, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(ready, O_CLOEXEC), 0);
  const pid_t holder =
      world_.start({helper("traps_strange_holder"), "silent", lock_}, {stay[0], ready[1], -1});
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  ASSERT_TRUE(probe_.slot_held(1));
  const Tag waiter = queue(run(kWait));
  EXPECT_TRUE(stays(Bound(50), [&] { return !inside(waiter); }));
  ASSERT_TRUE(world_.signal_descendant(holder, SIGKILL, true));
  EXPECT_TRUE(comes_inside(waiter, Bound(3000)))
      << "the head waits for the lock itself, or looks once a second";
  for (int fd : {stay[0], stay[1], ready[0], ready[1]}) close(fd);
}

TEST_F(Waiting, StoppedFromTheTerminalGivesItsPlaceUp) {
  world_.own_groups = true;
  const Tag holder = hold(run({}));
  const Tag stopped = queue(run(kWait));
  const Tag other = queue(run(kWait));
  ASSERT_TRUE(world_.signal_descendant(pid_of(stopped), SIGTSTP));
  ASSERT_TRUE(eventually(kBound, [&] { return state_of(pid_of(stopped)) == 'T'; }));
  let_go(holder);
  EXPECT_TRUE(comes_inside(other, Bound(3000)));
  ASSERT_TRUE(world_.signal_descendant(pid_of(stopped), SIGCONT));
  EXPECT_TRUE(stays(Bound(100), [&] { return !inside(stopped); }));
  let_go(other);
  EXPECT_TRUE(comes_inside(stopped));
}

// One slot is free and not enough for the one who waits for two. It is the waiter's nevertheless.
TEST_F(Waiting, ANewcomerDoesNotOvertake) {
  const Tag holder = hold(run({"-n", "2"}));
  const Tag waiter = queue(run({"-n", "2", "-k", "2", "-w", "inf"}));
  EXPECT_EQ(try_run({"-n", "2"}).end, "exit 75");
  let_go(holder);
  EXPECT_TRUE(comes_inside(waiter));
}

TEST_F(Waiting, ALargeLimitIsNotBlockedByASmallOne) {
  hold(run({}));
  queue(run(kWait));
  EXPECT_EQ(try_run({"-n", "2"}).end, "exit 0");
}

// The low slots are free, the high ones are held: only their number counts.
TEST_F(Waiting, HoldersAboveNCount) {
  std::vector<Tag> holders;
  for (int i = 0; i < 4; ++i) holders.push_back(hold(run({"-n", "4"})));
  for (int i : {0, 1}) {
    let_go(holders[static_cast<std::size_t>(i)]);
    EXPECT_EQ(end_of(holders[static_cast<std::size_t>(i)]), "exit 0");
  }
  EXPECT_EQ(try_run({"-n", "2"}).end, "exit 75");
  const Tag third = hold(run({"-n", "3"}));
  EXPECT_EQ(slot_of(third), 1u);
  EXPECT_EQ(try_run({"-n", "3"}).end, "exit 75");
}

// Waiting for oneself would never end.
TEST_F(Waiting, ForAnAncestorIsRefusedAtOnce) {
#ifdef ATMOST_PORTABLE
  GTEST_SKIP() << "without /proc a holder is not known to be an ancestor";
#endif
  for (const Argv& options : {Argv{}, Argv{"--exec"}, Argv{"--until=tree"}}) {
    Argv nested = run(options);
    const Argv inner = run(kWait);
    nested.insert(nested.end(), {"/bin/sh", "-c", "\"$@\"; exit $?", "sh"});
    nested.insert(nested.end(), inner.begin(), inner.end());
    nested.push_back("/bin/true");
    const Answer answer = ask(nested);
    EXPECT_EQ(answer.end, "exit 75");
    EXPECT_LT(answer.took_ns, 3'000'000'000);
    EXPECT_NE(answer.errors.find(lock_), std::string::npos) << answer.errors;
  }
}

}  // namespace
}  // namespace witness
