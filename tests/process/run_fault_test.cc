// The run room on a machine that refuses: each call that can fail does, in this very process.
#include <signal.h>
#include <unistd.h>

#include <cstring>

#include "run_fault_kit.h"

namespace atmost::run {
namespace {

using os::calls;
using os::kRealCalls;

int interruptions = 0;
int waits = 0;
pid_t stopped_child = 0;

TEST_F(RunFault, NoProcessToBeHad) {
  calls.start = [](int (*)(void*), void*) -> pid_t {
    errno = EAGAIN;
    return -1;
  };
  const RunReport report = run({"true"});
  EXPECT_EQ(report.fork_error, EAGAIN);
  EXPECT_EQ(report.exec_error, 0);
  EXPECT_TRUE(no_child_left());
}

TEST_F(RunFault, ExecFailures) {
  for (const int error : {E2BIG, EIO, ENOMEM, ETXTBSY, EMFILE}) {
    static int wanted;
    wanted = error;
    calls.execve = [](const char*, char* const*, char* const*) {
      errno = wanted;
      return -1;
    };
    const RunReport report = run({"true"});
    EXPECT_EQ(report.exec_error, error);
    EXPECT_EQ(report.fork_error, 0);
    EXPECT_TRUE(no_child_left());
  }
}

// The shell that should run the script cannot be executed: its error comes back, and nothing stays
// mapped.
TEST_F(RunFault, NoShellForAScript) {
  static int maps;
  maps = 0;
  calls.mmap = [](void* at, std::size_t size, int protection, int flags, int fd, off_t offset) {
    ++maps;
    return kRealCalls.mmap(at, size, protection, flags, fd, offset);
  };
  calls.munmap = [](void* at, std::size_t size) {
    --maps;
    return kRealCalls.munmap(at, size);
  };
  calls.execve = [](const char* path, char* const*, char* const*) {
    errno = std::strcmp(path, "/bin/sh") == 0 ? EPERM : ENOEXEC;
    return -1;
  };
  EXPECT_EQ(run({"/bin/true"}).exec_error, EPERM);
  EXPECT_EQ(maps, 0);
}

TEST_F(RunFault, InterruptedCalls) {
  interruptions = 0;
  calls.wait4 = [](pid_t pid, int* status, int options, struct rusage* used) -> pid_t {
    if (++interruptions % 2 == 1) {
      errno = EINTR;
      return -1;
    }
    return kRealCalls.wait4(pid, status, options, used);
  };
  EXPECT_EQ(run({child(), "exit=9"}).status.code, 9);
  EXPECT_GT(interruptions, 1);
}

// A ^C comes to the whole group while we read that the command was stopped and continued; the
// command answers it and ends before we look for signals again.
TEST_F(RunFault, ATerminalSignalThatTheCommandAnswered) {
  waits = 0;
  calls.wait4 = [](pid_t pid, int* status, int options, struct rusage* used) -> pid_t {
    if (++waits == 2) {
      kill(getpid(), SIGINT);
      kill(stopped_child, SIGCONT);
      siginfo_t ended = {};
      waitid(P_PID, static_cast<id_t>(stopped_child), &ended, WEXITED | WNOWAIT);
    }
    const pid_t seen = kRealCalls.wait4(pid, status, options, used);
    if (seen > 0) stopped_child = seen;
    return seen;
  };
  const RunReport report = run({"sh", "-c", "kill -STOP $$; exit 3"});
  EXPECT_GT(waits, 1);
  EXPECT_EQ(report.status.code, 3);
  EXPECT_EQ(report.termination_signal, SIGINT);
}

#ifndef ATMOST_PORTABLE

TEST_F(RunFault, NoTimer) {
  calls.create_timer = [](int, void**) {
    errno = EAGAIN;
    return -1;
  };
  const RunReport report = run({child(), "pause"}, Duration::millis(30));
  EXPECT_EQ(report.stopped, Stopped::max_runtime);
  EXPECT_EQ(report.status.signal, SIGINT);
}

TEST_F(RunFault, NoProcessHandles) {
  calls.pidfd_open = [](pid_t, unsigned) {
    errno = EPERM;
    return -1;
  };
  const RunReport report = run(stubborn_, Duration::millis(50), Duration::millis(500));
  EXPECT_EQ(report.stopped, Stopped::max_runtime);
  EXPECT_EQ(report.status.signal, SIGKILL);
  EXPECT_EQ(quiet_.signals.back(), SIGKILL);
  // Grandchildren became our children as their parents ended.
  EXPECT_TRUE(no_child_left());
}

TEST_F(RunFault, NoProc) {
  calls.openat = [](int dir, const char* path, int flags, mode_t mode) {
    if (std::strncmp(path, "/proc", 5) == 0) {
      errno = ENOENT;
      return -1;
    }
    return kRealCalls.openat(dir, path, flags, mode);
  };
  const RunReport report = run({child(), "ignore=2", "ignore=15", "pause"}, Duration::millis(30));
  EXPECT_EQ(report.stopped, Stopped::max_runtime);
  EXPECT_EQ(report.status.signal, SIGKILL);
}

#endif

TEST_F(RunFault, WhatItUsed) {
  const RunReport report =
      run({"/bin/sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"});
  EXPECT_GT(report.usage.cpu_ns, 0);
  EXPECT_GE(report.ran.ns, report.usage.cpu_ns / 4);
#ifndef ATMOST_PORTABLE
  EXPECT_GT(report.usage.peak_kib, 100);
#endif
}

}  // namespace
}  // namespace atmost::run
