#include "world/trap_calls.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <vector>

namespace world {
namespace {

void (*handler)(int) = nullptr;

void on_trap(int, siginfo_t* about, void*) { handler(about->si_syscall); }

// The baton, memory of the process, its end, and the return of a signal handler.
constexpr unsigned kLetThrough[] = {SYS_futex,   SYS_mmap,       SYS_munmap,
                                    SYS_madvise, SYS_exit_group, SYS_rt_sigreturn};

}  // namespace

bool trap_calls(void (*trapped)(int)) {
  handler = trapped;
  struct sigaction action = {};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, nullptr);
  std::vector<sock_filter> steps;
  steps.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
  for (const unsigned number : kLetThrough) {
    steps.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    steps.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  steps.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
  const struct sock_fprog program = {static_cast<unsigned short>(steps.size()), steps.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace world
