// The run room on a machine that refuses: each call that can fail does, in this very process.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "os/calls.h"
#include "os/clock.h"
#include "os/process.h"
#include "run/run.h"
#include "witness_world.h"

extern char** environ;

namespace atmost::run {
namespace {

using os::calls;
using os::kRealCalls;

class Quiet final : public SupervisionObserver {
 public:
  void main_ended(const ExitStatus& status, bool) override { ended = status; }
  void started(std::int64_t) override {}
  bool taken(std::int64_t) override { return false; }
  void stopping(int signal, Stopped) override { signals.push_back(signal); }
  std::int64_t check(std::int64_t) override { return Duration::kForever; }

  ExitStatus ended;
  std::vector<int> signals;
};

int interruptions = 0;
int waits = 0;
pid_t stopped_child = 0;

class RunFault : public ::testing::Test {
 protected:
  ~RunFault() override { calls = kRealCalls; }
  RunReport run(const witness::Argv& command, Duration max_runtime = {},
                Duration grace = Duration::millis(50)) {
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    Task task;
    task.argv = argv.data();
    task.envp = environ;
    task.max_runtime = max_runtime;
    task.kill_grace = grace;
    task.in_own_session = true;  // a stopped command does not stop the test
    return supervise(task, quiet_);
  }
  std::string child() const { return witness::helper("run_child"); }
  bool no_child_left() const { return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }

  Quiet quiet_;
  const witness::Argv stubborn_ = {child(), "ignore=2", "ignore=15", "fork=2", "pause"};
};

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

// Between the look and the handle a process ended and its number went to a stranger (our parent,
// here): the handle then means the stranger, and what is proven after it was opened says so. Nobody
// may be signalled through it.
TEST_F(RunFault, ARecycledNumber) {
  static std::int64_t victim;
  static int sights;
  static int handles_of_stranger;
  static int last_handle_is_strangers;
  static int sent_to_stranger;
  victim = sights = handles_of_stranger = last_handle_is_strangers = sent_to_stranger = 0;
  calls.pidfd_open = [](pid_t pid, unsigned flags) {
    os::ProcessFacts facts;
    // At its second sight: the first look is for what stands still, and signals nothing here.
    if (victim == 0 && os::process_facts(pid, facts) == 0 && facts.parent != getpid() &&
        ++sights == 2)
      victim = pid;
    last_handle_is_strangers = pid == victim;
    handles_of_stranger += last_handle_is_strangers;
    return kRealCalls.pidfd_open(last_handle_is_strangers ? getppid() : pid, flags);
  };
  calls.openat = [](int dir, const char* path, int flags, mode_t mode) {
    const std::string victims = "/proc/" + std::to_string(victim) + "/stat";
    const std::string ours = "/proc/" + std::to_string(getppid()) + "/stat";
    return kRealCalls.openat(dir, handles_of_stranger > 0 && path == victims ? ours.c_str() : path,
                             flags, mode);
  };
  calls.pidfd_send_signal = [](int handle, int signal, unsigned flags) {
    sent_to_stranger += last_handle_is_strangers;
    if (last_handle_is_strangers) return 0;
    return kRealCalls.pidfd_send_signal(handle, signal, flags);
  };
  // Without a victim nothing is seen: on a busy machine the fork takes its time.
  RunReport report;
  for (std::int64_t limit = 300; victim == 0 && limit < 100'000; limit *= 4)
    report = run({child(), "ignore=2", "fork=1", "pause"}, Duration::millis(limit));
  ASSERT_GT(victim, 0);
  EXPECT_EQ(report.status.signal, SIGTERM);
  EXPECT_EQ(handles_of_stranger, 1);
  EXPECT_EQ(sent_to_stranger, 0);
  kill(static_cast<pid_t>(victim), SIGKILL);
  EXPECT_EQ(waitpid(static_cast<pid_t>(victim), nullptr, 0), victim);
}

std::size_t passes = 0;
std::size_t looks = 0;
std::set<std::string> stats_of_strangers;  // the paths of their files

// They are not below us: a process that adopts orphans is their parent. They end when the pipe
// `until` is closed.
void start_strangers(int count, const int (&until)[2]) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  stats_of_strangers.clear();
  const pid_t first = fork();
  if (first == 0) {
    close(until[1]);
    if (fork() != 0) _exit(0);
    for (int i = 0; i < count && fork() != 0; ++i) {
    }
    char none;
    const pid_t self = getpid();
    if (write(ready[1], &self, sizeof self) == sizeof self && read(until[0], &none, 1) == 0)
      _exit(0);
    _exit(1);
  }
  ASSERT_EQ(waitpid(first, nullptr, 0), first);
  pid_t each;
  for (int i = 0; i <= count; ++i) {
    ASSERT_EQ(read(ready[0], &each, sizeof each), static_cast<ssize_t>(sizeof each));
    stats_of_strangers.insert("/proc/" + std::to_string(each) + "/stat");
  }
  close(ready[0]);
  close(ready[1]);
}

// A lease has an end: killing must not take longer on a machine with many processes than reading of
// each once a pass.
TEST_F(RunFault, AStrangerCostsOneLookEachPass) {
  constexpr int kStrangers = 300;
  int until[2];
  ASSERT_EQ(pipe(until), 0);
  start_strangers(kStrangers, until);
  passes = looks = 0;
  calls.openat = [](int dir, const char* path, int flags, mode_t mode) {
    passes += std::strcmp(path, "/proc") == 0;
    looks += stats_of_strangers.count(path);
    return kRealCalls.openat(dir, path, flags, mode);
  };
  EXPECT_TRUE(run(stubborn_, Duration::millis(100)).status.signal == SIGKILL);
  calls = kRealCalls;
  close(until[0]);
  close(until[1]);
  EXPECT_GE(passes, 6u);
  EXPECT_GE(looks, passes * kStrangers);
  // A directory that changes while it is read may show an entry twice.
  EXPECT_LE(looks, passes * kStrangers * 3 / 2);
}

// Another user's, or one that waits for a dead disk: it keeps us until it ends, but not busy.
TEST_F(RunFault, WhoCannotBeKilledIsNotHuntedForEver) {
  passes = 0;
  calls.openat = [](int dir, const char* path, int flags, mode_t mode) {
    passes += std::strcmp(path, "/proc") == 0;
    return kRealCalls.openat(dir, path, flags, mode);
  };
  calls.pidfd_send_signal = [](int, int, unsigned) {
    errno = EPERM;
    return -1;
  };
  const witness::Argv a_second = {"/bin/sh", "-c", "trap '' INT TERM; sleep 1; exit 3"};
  EXPECT_EQ(run(a_second, Duration::millis(50), Duration::millis(5)).status.code, 3);
  EXPECT_LE(passes, 150u);
}

std::int64_t main_killed_ns = 0;

pid_t behind(int process) {
  const std::string info = witness::read_file("/proc/self/fdinfo/" + std::to_string(process));
  return std::stoi(info.substr(info.find("Pid:") + 4));
}

std::vector<std::string> left_behind() {
  const std::string self = std::to_string(getpid());
  std::istringstream all(witness::read_file("/proc/" + self + "/task/" + self + "/children"));
  return {std::istream_iterator<std::string>(all), {}};
}

// A busy machine takes its time to end a killed process: here the child of the main process ends
// long after it, and after the pause that was asked for.
TEST_F(RunFault, KilledProcessesAreWaitedForLongerThanAShortGrace) {
  main_killed_ns = 0;
  calls.pidfd_send_signal = [](pid_t process, int signal, unsigned flags) {
    if (signal != SIGKILL) return kRealCalls.pidfd_send_signal(process, signal, flags);
    static pid_t main = 0;
    const pid_t pid = behind(process);
    if (main_killed_ns == 0 && witness::parent_of(pid) == getpid()) {
      main = pid;
      main_killed_ns = os::boot_ns();
    }
    const bool early = pid != main && os::boot_ns() < main_killed_ns + 300'000'000;
    return early || main_killed_ns == 0 ? 0 : kRealCalls.pidfd_send_signal(process, signal, flags);
  };
  const RunReport report = run(stubborn_, Duration::millis(100), Duration::millis(10));
  EXPECT_EQ(report.status.signal, SIGKILL);
  EXPECT_TRUE(no_child_left());
  calls = kRealCalls;
  for (const std::string& pid : left_behind()) kill(std::stoi(pid), SIGKILL);
  while (waitpid(-1, nullptr, 0) > 0) {
  }
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
