// One sweep over processes that this test made, in this very process: who is met through a dead child's group, and when
// it ends early.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "os/calls.h"
#include "os/spawn.h"
#include "run/tree.h"
#include "takeover_namespace.h"
#include "takeover_records.h"

namespace atmost::run {
namespace {

using os::calls;

enum class Begins { a_session, a_group };

// Our dead child began a session, or a group; its child lives, and has a child in the same group. No handle can be had,
// so that the last one is met through the group or not at all. Says whether it was.
std::string met_through_group(Begins what) {
  const os::Adoption adoption;
  int life[2];
  if (pipe(life) != 0) return "no pipe";
  const pid_t dead = fork();
  if (dead == 0) {
    if (what == Begins::a_session) setsid();
    if (what == Begins::a_group) setpgid(0, 0);
    if (fork() != 0) _exit(0);
    const pid_t last = fork();
    close(life[0]);
    if (last == 0 && write(life[1], "", 1) == 1) pause();
    close(life[1]);
    pause();
  }
  close(life[1]);
  char started;
  siginfo_t ended = {};
  if (read(life[0], &started, 1) != 1) return "nobody started";
  if (waitid(P_PID, static_cast<id_t>(dead), &ended, WEXITED | WNOWAIT) != 0) return "no dead child";

  calls.pidfd_open = [](pid_t, unsigned) {
    errno = EPERM;
    return -1;
  };
  sweep({}, To::all, SIGKILL);
  calls = os::kRealCalls;
  struct pollfd last = {life[0], POLLIN, 0};
  const bool met = poll(&last, 1, what == Begins::a_session ? 10'000 : 200) == 1;
  while (waitpid(-1, nullptr, WNOHANG) >= 0) sweep({}, To::all, SIGKILL);
  close(life[0]);
  return met ? "well" : "not met";
}

TEST(RunSweep, MeetsWhatTheDeadLeftThroughTheirGroup) {
  EXPECT_EQ(met_through_group(Begins::a_session), "well");
}

// A group of our own session may be somebody else's, who began it before us.
TEST(RunSweep, GroupsOfOurSessionAreLetBe) { EXPECT_EQ(met_through_group(Begins::a_group), "not met"); }

// What a container's or a CI's agent starts without a session of its own has the number 0 for it.
TEST(RunSweep, MeetsThemFromASessionOutsideThePidNamespace) {
  const std::string found = witness::in_namespace(
      [] {},
      [] {
        return getsid(0) == 0 ? met_through_group(Begins::a_session) : std::string("a session of its own");
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
