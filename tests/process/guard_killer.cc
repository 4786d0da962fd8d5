#include "guard_killer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace witness {
namespace {

constexpr int kCallStop = SIGTRAP | 0x80;  // PTRACE_O_TRACESYSGOOD

long trace(int request, pid_t pid, unsigned long argument) {
  return ptrace(static_cast<__ptrace_request>(request), pid, nullptr, argument);
}

// The number of the call that it is about to make; -1 on the way out of one.
long call_of(pid_t pid) {
  struct __ptrace_syscall_info info = {};
  if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0) return -1;
  return info.op == PTRACE_SYSCALL_INFO_ENTRY ? static_cast<long>(info.entry.nr) : -1;
}

}  // namespace

Killer::Killer(const std::vector<std::string>& argv, bool follow_child, bool all_calls)
    : follow_child_(follow_child), all_calls_(all_calls) {
  std::vector<char*> raw;
  for (const std::string& arg : argv) raw.push_back(const_cast<char*>(arg.c_str()));
  raw.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ == 0) {
    const int null = open("/dev/null", O_RDWR);
    for (int fd : {0, 1, 2}) dup2(null, fd);
    close(null);
    if (trace(PTRACE_TRACEME, 0, 0) == 0) execv(raw[0], raw.data());
    _exit(127);
  }
  int status = 0;
  waitpid(pid_, &status, 0);  // it stops when its program begins
  const unsigned long forks = follow_child ? PTRACE_O_TRACEFORK : 0;
  if (!WIFSTOPPED(status) ||
      trace(PTRACE_SETOPTIONS, pid_, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | forks) != 0) {
    throw std::runtime_error("cannot trace " + argv[0]);
  }
}

Killer::~Killer() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, __WALL);
}

bool Killer::possible() {
  const pid_t pid = fork();
  if (pid == 0) _exit(trace(PTRACE_TRACEME, 0, 0) == 0 ? 0 : 1);
  int status = 0;
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

// False when it has ended.
bool Killer::wait_for_stop(int& status, const Idle& idle) {
  for (int looks = 0;; ++looks) {
    const pid_t who = waitpid(pid_, &status, __WALL | WNOHANG);
    if (who == pid_) return WIFSTOPPED(status);
    if (who < 0) return false;
    if (looks < 20) {
      std::this_thread::yield();
      continue;
    }
    if (looks > 40 && idle) idle();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

bool Killer::counts() const {
  const long call = call_of(pid_);
  if (call < 0) return false;
  if (all_calls_) return true;
  for (const long each : {SYS_fcntl, SYS_pwrite64, SYS_clone, SYS_close, SYS_munmap, SYS_kill,
                          SYS_pidfd_send_signal, SYS_exit_group, SYS_wait4, SYS_openat}) {
    if (call == each) return true;
  }
  return false;
}

bool Killer::kill_at(unsigned nth, const Idle& idle) {
  bool counting = !follow_child_;
  int signal = 0;
  unsigned count = 0;
  for (;;) {
    trace(PTRACE_SYSCALL, pid_, static_cast<unsigned long>(signal));
    int status = 0;
    if (!wait_for_stop(status, idle)) {
      pid_ = 0;
      return false;
    }
    signal = 0;
    if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_FORK << 8))) {
      unsigned long child = 0;
      ptrace(PTRACE_GETEVENTMSG, pid_, nullptr, &child);
      trace(PTRACE_DETACH, pid_, 0);
      pid_ = static_cast<pid_t>(child);
      waitpid(pid_, &status, __WALL);  // its first stop
      counting = true;
    } else if (WSTOPSIG(status) == kCallStop) {
      if (!counting || !counts() || ++count != nth) continue;
      kill(pid_, SIGKILL);
      while (waitpid(pid_, &status, __WALL) == pid_ && !WIFEXITED(status) && !WIFSIGNALED(status)) {
      }
      pid_ = 0;
      return true;
    } else {
      signal = WSTOPSIG(status);
    }
  }
}

}  // namespace witness
