#include "signals.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "calls.h"
#include "platform.h"
#include "process.h"

namespace atmost::os {
namespace {

sigset_t only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

// Whether the process is seen to run, or to have ended.
bool goes_on(std::int64_t pid) {
  ProcessFacts facts;
  return pid != 0 && process_facts(pid, facts) == 0 && facts.state != 'T' && facts.state != 't';
}

// Gives `signal` its default effect on this process, and restores the disposition if the process
// survives. Does nothing if the child `unless` runs.
void suffer(int signal, std::int64_t unless) {
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  struct sigaction before = {};
  const bool changed = calls.sigaction(signal, &plain, &before) == 0;
  calls.kill(getpid(), signal);
  const sigset_t set = only(signal);
  // A SIGCONT from now on also discards the pending stop signal; so the child's state has to be
  // checked here.
  if (goes_on(unless)) {
    const struct timespec no_time = {};
    siginfo_t info;
    calls.sigtimedwait(&set, &info, &no_time);
  }
  sigset_t mask_before;
  calls.sigprocmask(SIG_UNBLOCK, &set, &mask_before);
  calls.sigprocmask(SIG_SETMASK, &mask_before, nullptr);
  if (changed) calls.sigaction(signal, &before, nullptr);
}

}  // namespace

bool stop_self(int signal, std::int64_t with) {
  sigset_t waiting;
  if (sigpending(&waiting) == 0 && sigismember(&waiting, SIGCONT) == 1) return false;
  suffer(signal, with);
  return true;
}

int take_terminal_signal() {
  sigset_t pending;
  sigpending(&pending);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT}) {
    if (sigismember(&pending, signal) != 1) continue;
    sigset_t set;  // sigtimedwait(2) for the set would be one call, which not every system has
    sigemptyset(&set);
    sigaddset(&set, signal);
    int taken = 0;
    return sigwait(&set, &taken) == 0 ? taken : 0;
  }
  return 0;
}

void die_of(int signal) {
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  platform::forbid_core();
  suffer(signal, 0);
}

}  // namespace atmost::os
