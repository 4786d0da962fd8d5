// The processes that are stopped, and the time that it takes, if calls fail or numbers are reused.
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <iterator>
#include <set>
#include <sstream>

#include "os/clock.h"
#include "os/process.h"
#include "run_fault_kit.h"

#ifndef ATMOST_PORTABLE

namespace atmost::run {
namespace {

using os::calls;
using os::kRealCalls;

// Between the look and the handle a process ended and its number went to a stranger (our parent,
// here): the handle then means the stranger, which a proof after its opening shows. No process may
// be signalled through it.
TEST_F(RunFault, ARecycledNumber) {
  static std::int64_t victim;
  static int sights;
  static int handles_of_stranger;
  static int last_handle_is_strangers;
  static int sent_to_stranger;
  static int passes_since;
  passes_since = 0;
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
    // It is not seen any more, but keeps the hold as long as it lives.
    if (handles_of_stranger > 0 && std::strcmp(path, "/proc") == 0 && ++passes_since == 5)
      kRealCalls.kill(static_cast<pid_t>(victim), SIGKILL);
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
  EXPECT_GE(passes_since, 5);
  EXPECT_TRUE(no_child_left());
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
  EXPECT_GE(passes, 5u);
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
// long after it, and after the requested pause.
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

}  // namespace
}  // namespace atmost::run

#endif
