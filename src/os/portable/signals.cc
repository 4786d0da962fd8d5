#include "../signals.h"

#include <signal.h>
#include <sys/time.h>

#include <cerrno>
#include <initializer_list>

#include "../calls.h"
#include "../clock.h"
#include "core/time.h"

namespace atmost::os {
namespace {

#ifdef NSIG
constexpr int kSignals = NSIG;
#else
constexpr int kSignals = 65;
#endif

sigset_t mask_before;
struct sigaction actions_before[kSignals];
bool replaced[kSignals];
bool gate_open = false;

// The record of the handlers. They run only inside sigsuspend, each with all signals blocked, and a
// blocked signal is pending at most once: so one entry per number is enough.
Arrival notes[kSignals];
bool noted[kSignals];

Source source_of(int signal, const siginfo_t& info) {
  if (info.si_code == SI_USER || info.si_code == SI_QUEUE) return Source::process;
  return signal == SIGALRM && info.si_code == SI_TIMER ? Source::timer : Source::system;
}

void take_note(int signal, siginfo_t* info, void*) {
  const Source source = source_of(signal, *info);
  notes[signal] = {signal, source};
  const bool of_child = signal == SIGCHLD && source == Source::system;
  const bool ended = of_child && info->si_code != CLD_STOPPED && info->si_code != CLD_CONTINUED;
  if (source == Source::process || ended) notes[signal].sender = info->si_pid;
  noted[signal] = true;
}

bool left_alone(int signal) {
  return signal == SIGKILL || signal == SIGSTOP || signal == SIGSEGV || signal == SIGBUS ||
         signal == SIGFPE || signal == SIGILL || signal == SIGTRAP || signal == SIGSYS ||
         signal == SIGABRT;
}

bool any_pending() {
  sigset_t pending;
  calls.sigpending(&pending);
  for (int signal = 1; signal < kSignals; ++signal) {
    if (signal != SIGCHLD && replaced[signal] && sigismember(&pending, signal) == 1) return true;
  }
  return false;
}

bool alarm_set = false;

void set_alarm(std::int64_t span_ns) {
  struct itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(span_ns / 1'000'000'000);
  timer.it_value.tv_usec = static_cast<suseconds_t>(span_ns % 1'000'000'000 / 1000);
  calls.setitimer(ITIMER_REAL, &timer, nullptr);
}

bool take(Arrival& to) {
  for (int signal = 1; signal < kSignals; ++signal) {
    if (!noted[signal]) continue;
    noted[signal] = false;
    to = notes[signal];
    return true;
  }
  return false;
}

}  // namespace

SignalGate::SignalGate() {
  sigset_t all;
  sigfillset(&all);
  calls.sigprocmask(SIG_SETMASK, &all, &mask_before);
  for (int signal = 1; signal < kSignals; ++signal) {
    noted[signal] = false;
    struct sigaction action = {};
    action.sa_sigaction = take_note;
    action.sa_flags = SA_SIGINFO;
    sigfillset(&action.sa_mask);
    replaced[signal] =
        !left_alone(signal) && calls.sigaction(signal, &action, &actions_before[signal]) == 0;
  }
  gate_open = true;
}

SignalGate::~SignalGate() {
  rest();
  gate_open = false;
  for (int signal = 1; signal < kSignals; ++signal) {
    if (replaced[signal]) calls.sigaction(signal, &actions_before[signal], nullptr);
  }
  calls.sigprocmask(SIG_SETMASK, &mask_before, nullptr);
}

void SignalGate::rest() {
  if (alarm_set) set_alarm(0);
  alarm_set = false;
}

void SignalGate::continue_at(std::int64_t) {}

void SignalGate::watch(const int*, unsigned) {}

Arrival SignalGate::next(std::int64_t boot_deadline_ns, std::int64_t soft_boot_ns, std::int64_t) {
  Arrival arrival;
  if (take(arrival)) return arrival;
  // Work that can wait is done in time without it.
  if (soft_boot_ns == 0 && !any_pending()) return {};
  if (boot_deadline_ns != Duration::kForever) {
    const std::int64_t left_ns = boot_deadline_ns - boot_ns();
    if (left_ns <= 0) return {};
    set_alarm(left_ns + 1000);
    alarm_set = true;
  } else if (alarm_set) {
    set_alarm(0);
    alarm_set = false;
  }
  sigset_t none;
  sigemptyset(&none);
  for (int signal = 1; signal < kSignals; ++signal) {
    if (!replaced[signal] && sigismember(&mask_before, signal) == 1) sigaddset(&none, signal);
  }
  sigsuspend(&none);
  if (!take(arrival)) return {};
  // On some systems our own alarm and a SIGALRM from another process look alike: while our alarm is
  // set, a SIGALRM counts as ours.
  if (arrival.signal == SIGALRM && alarm_set && arrival.source != Source::process) return {};
  return arrival;
}

int take_terminal_signal() {
  sigset_t pending;
  calls.sigpending(&pending);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT}) {
    if (sigismember(&pending, signal) != 1) continue;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    int taken = 0;
    return calls.sigwait(&set, &taken) == 0 ? taken : 0;
  }
  return 0;
}

void hand_back_signals() {
  if (!gate_open) return;
  // Handlers end at exec by themselves; what was ignored has to be ignored again.
  for (int signal = 1; signal < kSignals; ++signal) {
    if (replaced[signal]) calls.sigaction(signal, &actions_before[signal], nullptr);
  }
  calls.sigprocmask(SIG_SETMASK, &mask_before, nullptr);
}

}  // namespace atmost::os
