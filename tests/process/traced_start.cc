#include "traced_start.h"

#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>

namespace witness {
namespace {

std::string name_of(unsigned long number) {
  static const std::map<unsigned long, std::string> kNames = {
      {SYS_arch_prctl, "arch_prctl"},
      {SYS_clone, "clone"},
      {SYS_close, "close"},
      {SYS_dup3, "dup3"},
      {SYS_execve, "execve"},
      {SYS_exit_group, "exit_group"},
      {SYS_fcntl, "fcntl"},
      {SYS_fork, "fork"},
      {SYS_fstat, "fstat"},
      {SYS_fstatfs, "fstatfs"},
      {SYS_getpid, "getpid"},
      {SYS_lstat, "lstat"},
      {SYS_mmap, "mmap"},
      {SYS_munmap, "munmap"},
      {SYS_open, "open"},
      {SYS_openat, "openat"},
      {SYS_prctl, "prctl"},
      {SYS_pidfd_open, "pidfd_open"},
      {SYS_pipe2, "pipe2"},
      {SYS_poll, "poll"},
      {SYS_pread64, "pread"},
      {SYS_prlimit64, "prlimit"},
      {SYS_pwrite64, "pwrite"},
      {SYS_read, "read"},
      {SYS_readlink, "readlink"},
      {SYS_rt_sigaction, "sigaction"},
      {SYS_rt_sigpending, "sigpending"},
      {SYS_rt_sigprocmask, "sigprocmask"},
      {SYS_rt_sigtimedwait, "sigtimedwait"},
      {SYS_set_robust_list, "set_robust_list"},
      {SYS_set_tid_address, "set_tid_address"},
      {SYS_stat, "stat"},
      {SYS_statx, "statx"},
      {SYS_uname, "uname"},
      {SYS_wait4, "wait4"},
      {SYS_waitid, "waitid"},
      {SYS_write, "write"},
  };
  const auto found = kNames.find(number);
  return found != kNames.end() ? found->second : "call " + std::to_string(number);
}

// The number of bytes of words that a program finds above its stack: fewer than most environments
// have.
constexpr std::size_t kWordBytes = 1536;

// As a child: becomes the program, with the environment of a test, every address where it always is
// and the stack where it always begins: the number of touched pages depends on both.
[[noreturn]] void become(const Words& words, const std::string& directory, bool traced) {
  const std::string place = "ATMOST_DIR=" + directory;
  const std::string path = "PATH=/usr/bin:/bin";
  std::string filler = "FILLER=";
  std::size_t bytes = place.size() + path.size() + filler.size() + 3 + words[0].size() + 1;
  std::vector<char*> argv;
  for (const std::string& word : words) {
    argv.push_back(const_cast<char*>(word.c_str()));
    bytes += word.size() + 1;
  }
  argv.push_back(nullptr);
  filler.resize(filler.size() + kWordBytes - std::min(bytes, kWordBytes), '-');
  char* environment[] = {const_cast<char*>(path.c_str()), const_cast<char*>(place.c_str()),
                         filler.data(), nullptr};
  personality(ADDR_NO_RANDOMIZE);
  if (freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
  if (traced) ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  execve(argv[0], argv.data(), environment);
  _exit(127);
}

}  // namespace

Calls calls_of(const Words& words, const std::string& directory) {
  const pid_t child = fork();
  if (child == 0) become(words, directory, true);
  Calls calls;
  int status = 0;
  waitpid(child, &status, 0);
  ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC);
  int deliver = 0;
  for (;;) {
    ptrace(PTRACE_SYSCALL, child, nullptr, deliver);
    deliver = 0;
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) return calls;
    if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
      ptrace(PTRACE_DETACH, child, nullptr, 0);
      waitpid(child, &status, 0);
      return calls;
    }
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
      deliver = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
      continue;
    }
    struct __ptrace_syscall_info info = {};
    ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), child, sizeof info, &info);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr != SYS_clock_gettime)
      ++calls[name_of(info.entry.nr)];
  }
}

namespace {

// The 8th field of /proc/PID/stat after the name, and the 9th: minor faults of the process, and of
// the children that it waited for.
long faults_so_far(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream rest(text.substr(text.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 7; ++i) rest >> skipped;
  long own = 0;
  long waited_for = 0;
  rest >> own >> waited_for;
  return own + waited_for;
}

// From the moment at which the process has become the program until its end, so that a fork's own
// faults are not among them.
long faults_of_one(const Words& words, const std::string& directory) {
  const pid_t child = fork();
  if (child == 0) become(words, directory, true);
  int status = 0;
  waitpid(child, &status, 0);
  ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT);
  const long before = faults_so_far(child);
  long counted = 0;
  int deliver = 0;
  for (;;) {
    ptrace(PTRACE_CONT, child, nullptr, deliver);
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) return counted;
    if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8)) counted = faults_so_far(child) - before;
    deliver = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
  }
}

}  // namespace

long faults_of(const Words& words, const std::string& directory) {
  long least = LONG_MAX;
  for (int i = 0; i < 15; ++i) least = std::min(least, faults_of_one(words, directory));
  return least;
}

}  // namespace witness
