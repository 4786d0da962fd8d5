#include "signals.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <new>

#include "calls.h"
#include "platform.h"
#include "process.h"
#include "terminal.h"

namespace atmost::os {
namespace {

sigset_t only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

// True if the process is seen to run, or to have ended.
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
  calls.kill(calls.getpid(), signal);
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

alignas(SignalGate) char gate_room[sizeof(SignalGate)];
SignalGate* gate = nullptr;

}  // namespace

SignalGate& hold_signals() {
  if (gate == nullptr) gate = new (gate_room) SignalGate;
  return *gate;
}

void release_signals() {
  if (gate != nullptr) gate->~SignalGate();
  gate = nullptr;
}

bool stop_self(int signal, std::int64_t with) {
  sigset_t waiting;
  if (calls.sigpending(&waiting) == 0 && sigismember(&waiting, SIGCONT) == 1) return false;
  suffer(signal, with);
  return true;
}

void die_of(int signal) {
  erase_kept_line();
  const struct rlimit no_core = {0, 0};
  calls.setrlimit(RLIMIT_CORE, &no_core);
  calls.forbid_core();
  suffer(signal, 0);
}

}  // namespace atmost::os
