// The processes that the first lock of a script starts: every fork and every exec is counted, in
// all processes.
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "temp_dir.h"
#include "witness_world.h"

namespace {

struct Starts {
  int forks = 0;
  int execs = 0;
  int status = -1;  // of the shell
};

// Runs the script in a shell, and waits for all that it starts.
Starts starts_of(const std::string& shell, const std::string& script, const std::string& place) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("ATMOST", witness::under_test("atmost").c_str(), 1);
    setenv("LOCK_UNLOCK", ATMOST_LOCK_UNLOCK, 1);
    setenv("ATMOST_DIR", place.c_str(), 1);
    if (chdir(place.c_str()) != 0) _exit(1);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    execlp(shell.c_str(), shell.c_str(), "-c", script.c_str(), nullptr);
    _exit(127);
  }
  Starts starts;
  int status = 0;
  waitpid(child, &status, 0);
  ptrace(PTRACE_SETOPTIONS, child, nullptr,
         PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC);
  ptrace(PTRACE_CONT, child, nullptr, 0);
  for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0;) {
    if (!WIFSTOPPED(status)) {
      if (pid == child) starts.status = status;
      continue;
    }
    const int event = status >> 16;
    if (event == PTRACE_EVENT_EXEC) ++starts.execs;
    if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE)
      ++starts.forks;
    const int signal = WSTOPSIG(status);
    ptrace(PTRACE_CONT, pid, nullptr, signal == SIGTRAP || signal == SIGSTOP ? 0 : signal);
  }
  return starts;
}

// One fork of the shell's, one exec, and the fork of the process that keeps the lock; to unlock,
// and to lock the same again, nothing. The shell's own exec is counted, too.
TEST(Starts, OfAFirstLockAreOneProgramAndItsKeeper) {
  const std::string lock = ". \"$LOCK_UNLOCK\"; lock_unlock action=lock name=\"$PWD/first.lock\"";
  const std::string both = " && lock_unlock action=unlock name=\"$PWD/first.lock\"";
  const std::string again = " && lock_unlock action=lock name=\"$PWD/first.lock\"";
  int tried = 0;
  for (const char* shell : {"sh", "dash", "bash", "ksh93", "mksh", "zsh", "yash"}) {
    if (system((std::string("command -v ") + shell + " >/dev/null").c_str()) != 0) continue;
    ++tried;
    const witness::TempDir place;
    const Starts seen = starts_of(shell, lock + both + again + both + "; exit $?", place.path());
    EXPECT_EQ(seen.status, 0) << shell;
    EXPECT_EQ(seen.forks, 2) << shell;
    EXPECT_EQ(seen.execs, 2) << shell;
  }
  EXPECT_GT(tried, 0);
}

}  // namespace
