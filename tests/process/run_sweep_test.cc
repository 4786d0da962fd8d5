// One sweep over processes that this test made, in this very process: who is met through a dead
// child's group, and when it ends early.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>

#include "os/calls.h"
#include "os/spawn.h"
#include "run/tree.h"
#include "takeover_namespace.h"
#include "takeover_records.h"
#include "witness_world.h"

namespace atmost::run {
namespace {

using os::calls;

enum class Begins { a_session, a_group };

bool stands_still(pid_t pid, std::chrono::milliseconds within) {
  return witness::eventually(within, [pid] { return witness::state_of(pid) == 'T'; });
}

// Our dead child began a session, or a group; its child lives, and has a child in the same group.
// No handle can be had, so that SIGSTOP comes to the last one through the group or not at all. Says
// whether it did.
std::string met_through_group(Begins what) {
  const os::Adoption adoption;
  int line[2];
  if (pipe(line) != 0) return "no pipe";
  const pid_t dead = fork();
  if (dead == 0) {
    if (what == Begins::a_session) setsid();
    if (what == Begins::a_group) setpgid(0, 0);
    if (fork() != 0) _exit(0);
    const pid_t last = fork();
    if (last != 0 && write(line[1], &last, sizeof last) != sizeof last) _exit(1);
    for (;;) pause();
  }
  pid_t last = 0;
  siginfo_t ended = {};
  if (read(line[0], &last, sizeof last) != sizeof last) return "nobody started";
  if (waitid(P_PID, static_cast<id_t>(dead), &ended, WEXITED | WNOWAIT) != 0)
    return "no dead child";
  close(line[0]);
  close(line[1]);

  calls.pidfd_open = [](pid_t, unsigned) {
    errno = EPERM;
    return -1;
  };
  const Sweep stopped = sweep({}, To::all, SIGSTOP);
  calls = os::kRealCalls;
  const bool met =
      stands_still(last, std::chrono::milliseconds(what == Begins::a_session ? 10'000 : 200));
  while (waitpid(-1, nullptr, WNOHANG) >= 0) sweep({}, To::all, SIGKILL);
  if (stopped.sent != 1) return "other than its parent was signalled";
  return met ? "well" : "not met";
}

TEST(RunSweep, MeetsWhatTheDeadLeftThroughTheirGroup) {
  EXPECT_EQ(met_through_group(Begins::a_session), "well");
}

// A group of our own session may be somebody else's, who began it before us.
TEST(RunSweep, GroupsOfOurSessionAreLetBe) {
  EXPECT_EQ(met_through_group(Begins::a_group), "not met");
}

// What a container's or a CI's agent starts without a session of its own has the number 0 for it.
TEST(RunSweep, MeetsThemFromASessionOutsideThePidNamespace) {
  const std::string found =
      witness::in_namespace([] {},
                            [] {
                              return getsid(0) == 0 ? met_through_group(Begins::a_session)
                                                    : std::string("a session of its own");
                            });
  if (found == witness::kNoNamespace) GTEST_SKIP() << found;
  EXPECT_EQ(found, "");
}

TEST(RunSweep, EndsAtManyDeadAndSaysSo) {
  for (std::uint32_t i = 0; i < kDeadInASweep; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    siginfo_t ended = {};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  }
  const Sweep first = sweep({}, To::all, SIGKILL);
  EXPECT_TRUE(first.cut);
  EXPECT_FALSE(first.nobody_left());
  ASSERT_GT(waitpid(-1, nullptr, 0), 0);
  EXPECT_TRUE(sweep({}, To::all, SIGKILL).nobody_left());
  while (waitpid(-1, nullptr, 0) > 0) {
  }
}

}  // namespace
}  // namespace atmost::run
