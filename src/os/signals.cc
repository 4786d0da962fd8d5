#include "signals.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "calls.h"
#include "platform.h"

namespace atmost::os {
namespace {

sigset_t only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

// Lets `signal` do to us what it does by default; back again if we outlive it.
void suffer(int signal) {
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  struct sigaction before = {};
  const bool changed = calls.sigaction(signal, &plain, &before) == 0;
  calls.kill(getpid(), signal);
  const sigset_t set = only(signal);
  sigset_t mask_before;
  calls.sigprocmask(SIG_UNBLOCK, &set, &mask_before);
  calls.sigprocmask(SIG_SETMASK, &mask_before, nullptr);
  if (changed) calls.sigaction(signal, &before, nullptr);
}

}  // namespace

bool stop_self(int signal) {
  sigset_t waiting;
  if (sigpending(&waiting) == 0 && sigismember(&waiting, SIGCONT) == 1) return false;
  suffer(signal);
  return true;
}

void die_of(int signal) {
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  platform::forbid_core();
  suffer(signal);
}

}  // namespace atmost::os
