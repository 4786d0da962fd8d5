// The cost of taking and releasing a free lock that was held before: the system calls, exactly.
// A call is added for a reason.
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <map>

#include "library_kit.h"

namespace {

using Calls = std::map<std::string, int>;

std::string name_of(unsigned long number) {
  static const std::map<unsigned long, std::string> kNames = {
      {SYS_fcntl, "fcntl"},     {SYS_geteuid, "geteuid"}, {SYS_lseek, "lseek"},
      {SYS_openat, "openat"},   {SYS_close, "close"},     {SYS_pread64, "pread"},
      {SYS_pwrite64, "pwrite"}, {SYS_statx, "statx"},     {SYS_write, "write"}};
  const auto found = kNames.find(number);
  return found != kNames.end() ? found->second : "call " + std::to_string(number);
}

class LibraryCalls : public Library {
 protected:
  // Those of the third take and release, between two calls that nothing else makes.
  Calls calls_of_a_cycle() {
    const pid_t child = fork();
    if (child == 0) {
      ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      for (int i = 0; i < 3; ++i) {
        if (i == 2) raise(SIGSTOP);
        syscall(SYS_sched_yield);
        const atmost::Held lock = atmost::Named(path("a")).get_lock(limits_);
        if (!lock) _exit(1);
      }
      syscall(SYS_sched_yield);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD);
    Calls calls;
    for (bool counting = false;;) {
      ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
      waitpid(child, &status, 0);
      if (!WIFSTOPPED(status)) break;
      struct __ptrace_syscall_info info = {};
      ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), child, sizeof info, &info);
      if (info.op != PTRACE_SYSCALL_INFO_ENTRY) continue;
      if (info.entry.nr == SYS_sched_yield) {
        counting = !counting;
      } else if (counting && info.entry.nr != SYS_clock_gettime) {
        ++calls[name_of(info.entry.nr)];
      }
    }
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return calls;
  }
};

TEST_F(LibraryCalls, WithoutHistory) {
  limits_.set("no_history");
  const Calls expected = {{"fcntl", 7}, {"geteuid", 1}, {"lseek", 4},
                          {"pread", 3}, {"pwrite", 2},  {"statx", 1}};
  EXPECT_EQ(calls_of_a_cycle(), expected);
}

TEST_F(LibraryCalls, WithHistory) {
  const Calls expected = {{"fcntl", 7},  {"geteuid", 1}, {"lseek", 4}, {"pread", 3},
                          {"pwrite", 2}, {"statx", 3},   {"write", 2}};
  // The log's path is looked at once in 10 ms: on a loaded machine, perhaps in the cycle that
  // counts.
  Calls calls;
  (void)eventually([&] { return (calls = calls_of_a_cycle()) == expected; });
  EXPECT_EQ(calls, expected);
}

}  // namespace
