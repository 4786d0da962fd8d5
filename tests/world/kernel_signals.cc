// signal(7), as far as waiting uses signals.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "world/kernel.h"

namespace world {
namespace {

constexpr int kLast = 64;

bool ignored_by_default(int signal) {
  return signal == SIGCHLD || signal == SIGCONT || signal == SIGURG || signal == SIGWINCH;
}

bool stops_by_default(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

struct sigaction action_of(const Process& process, int signal) {
  const auto found = process.signals.actions.find(signal);
  return found == process.signals.actions.end() ? (struct sigaction){} : found->second;
}

bool ignores(const Process& process, int signal) {
  const auto action = action_of(process, signal);
  return action.sa_handler == SIG_IGN ||
         (action.sa_handler == SIG_DFL && ignored_by_default(signal));
}

void expire(Process& process, Timer& timer, std::int64_t now_ns) {
  if (timer.due_ns > now_ns) return;
  timer.due_ns = timer.again_ns == 0 ? kNever : now_ns + timer.again_ns;
  siginfo_t about = {};
  about.si_code = SI_TIMER;
  Kernel::send(process, timer.signal, about);
}

}  // namespace

std::uint64_t bits(const sigset_t& set) {
  std::uint64_t result = 0;
  for (int signal = 1; signal < kLast; ++signal) {
    if (sigismember(&set, signal) == 1) result |= bit(signal);
  }
  return result;
}

sigset_t set_of(std::uint64_t bits) {
  sigset_t result;
  sigemptyset(&result);
  for (int signal = 1; signal < kLast; ++signal) {
    if ((bits & bit(signal)) != 0) sigaddset(&result, signal);
  }
  return result;
}

Process* Kernel::find_process(pid_t pid) {
  const auto found = std::ranges::find_if(processes_, [pid](const auto& each) {
    return each->pid == pid && each->state != Process::State::ended;
  });
  return found == processes_.end() ? nullptr : found->get();
}

void Kernel::send(Process& to, int signal, const siginfo_t& about) {
  if (!to.alive() || to.dying) return;
  if (signal == SIGCONT) to.stopped = false;
  if (ignores(to, signal) && (to.signals.blocked & bit(signal)) == 0) return;
  if ((to.signals.pending & bit(signal)) != 0) return;  // one pending of each number
  to.signals.pending |= bit(signal);
  siginfo_t& kept = to.signals.about[signal];
  kept = about;
  kept.si_signo = signal;
}

void Kernel::expire_timers(Process& process) {
  expire(process, process.signals.alarm, now_ns_);
  for (auto& [number, timer] : process.signals.timers) expire(process, timer, now_ns_);
}

std::uint64_t Kernel::deliverable(const Process& process) {
  std::uint64_t result = process.signals.pending & ~process.signals.blocked;
  for (int signal = 1; result != 0 && signal < kLast; ++signal) {
    if ((result & bit(signal)) != 0 && ignores(process, signal)) result &= ~bit(signal);
  }
  return result;
}

bool Kernel::deliver(Process& process) {
  if (process.dying) return false;
  bool handled = false;
  expire_timers(process);
  for (std::uint64_t due = deliverable(process); due != 0; due = deliverable(process)) {
    const int signal = __builtin_ctzll(due);
    process.signals.pending &= ~bit(signal);
    siginfo_t about = process.signals.about[signal];
    const struct sigaction action = action_of(process, signal);
    if (action.sa_handler == SIG_DFL && stops_by_default(signal)) {
      trace(process, "stops by signal %d", signal);
      process.stopped = true;
      pause(process);
    } else if (action.sa_handler == SIG_DFL) {
      trace(process, "ends by signal %d", signal);
      end(process, signal);
    } else {
      handled = true;
      trace(process, "handles signal %d", signal);
      const std::uint64_t blocked = process.signals.blocked;
      process.signals.blocked |= bit(signal) | bits(action.sa_mask);
      if ((action.sa_flags & SA_SIGINFO) != 0) {
        action.sa_sigaction(signal, &about, nullptr);
      } else {
        action.sa_handler(signal);
      }
      process.signals.blocked = blocked;
    }
  }
  return handled;
}

}  // namespace world
