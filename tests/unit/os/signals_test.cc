#include "os/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atmost::os {
namespace {

// A shell in small: a child in a group of its own, whose parent is in the same session.
class StopSelf : public ::testing::Test {
 protected:
  template <class Body>
  pid_t job(Body body) {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    setpgid(0, 0);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    body();
    _exit(99);
  }
  static int next_change(pid_t pid) {
    int status = 0;
    return waitpid(pid, &status, WUNTRACED) == pid ? status : -1;
  }
};

TEST_F(StopSelf, StandsStillUntilItIsContinued) {
  const pid_t child = job([] { _exit(stop_self(SIGTSTP) ? 1 : 2); });
  const int stopped = next_change(child);
  ASSERT_TRUE(WIFSTOPPED(stopped));
  EXPECT_EQ(WSTOPSIG(stopped), SIGTSTP);
  kill(child, SIGCONT);
  const int ended = next_change(child);
  EXPECT_EQ(WEXITSTATUS(ended), 1);
}

// Stopping would throw the SIGCONT away, and no process would send another.
TEST_F(StopSelf, DoesNotThrowAwayAContinueThatWaits) {
  const pid_t child = job([] {
    kill(getpid(), SIGCONT);
    const bool stopped = stop_self(SIGTSTP);
    sigset_t waiting;
    sigpending(&waiting);
    _exit(!stopped && sigismember(&waiting, SIGCONT) == 1 && sigismember(&waiting, SIGTSTP) == 0
              ? 3
              : 4);
  });
  const int ended = next_change(child);
  if (WIFSTOPPED(ended)) kill(child, SIGKILL);
  ASSERT_TRUE(WIFEXITED(ended));
  EXPECT_EQ(WEXITSTATUS(ended), 3);
}

#ifndef ATMOST_PORTABLE

TEST_F(StopSelf, NotWithoutTheChildThatIsToContinueUs) {
  for (const bool child_stands : {false, true}) {
    const pid_t child = job([child_stands] {
      const pid_t below = fork();
      if (below == 0) {
        if (child_stands) raise(SIGSTOP);
        for (;;) pause();
      }
      int status = 0;
      if (child_stands) waitpid(below, &status, WUNTRACED);
      stop_self(SIGTSTP, below);
      kill(below, SIGKILL);
      sigset_t waiting;
      sigpending(&waiting);
      _exit(sigismember(&waiting, SIGTSTP) == 0 ? 5 : 6);
    });
    int change = next_change(child);
    EXPECT_EQ(WIFSTOPPED(change), child_stands);
    if (WIFSTOPPED(change)) {
      kill(child, SIGCONT);
      change = next_change(child);
    }
    EXPECT_EQ(WEXITSTATUS(change), 5);
  }
}

#endif

}  // namespace
}  // namespace atmost::os
