// sigaction(2), sigprocmask(2), timers and kill(2).
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>

#include "world/tables.h"

namespace world {
namespace {

constexpr int kMostSignals = 64;

int sigaction(int signal, const struct sigaction* to, struct sigaction* old) {
  Call call("sigaction");
  Process& process = call.process();
  if (signal < 1 || signal >= kMostSignals) return Call::fail(EINVAL);
  if (old != nullptr) *old = process.signals.actions[signal];
  if (to == nullptr) return 0;
  process.signals.actions[signal] = *to;
  return 0;
}

int change_mask(Process& process, int how, const sigset_t* to, sigset_t* old) {
  std::uint64_t& blocked = process.signals.blocked;
  if (old != nullptr) *old = set_of(blocked);
  if (to == nullptr) return 0;
  const std::uint64_t given = bits(*to) & ~(bit(SIGKILL) | bit(SIGSTOP));
  if (how == SIG_BLOCK) blocked |= given;
  if (how == SIG_UNBLOCK) blocked &= ~given;
  if (how == SIG_SETMASK) blocked = given;
  return 0;
}

int sigprocmask(int how, const sigset_t* to, sigset_t* old) {
  Call call("sigprocmask");
  return change_mask(call.process(), how, to, old);
}

int sigpending(sigset_t* to) {
  Call call("sigpending");
  kernel->expire_timers(call.process());
  *to = set_of(call.process().signals.pending & call.process().signals.blocked);
  return 0;
}

// The lowest pending one of a set.
siginfo_t take(Process& process, std::uint64_t set) {
  const int signal = __builtin_ctzll(process.signals.pending & set);
  process.signals.pending &= ~bit(signal);
  return process.signals.about[signal];
}

int await(Process& process, std::uint64_t set, siginfo_t* about, std::int64_t deadline_ns) {
  kernel->expire_timers(process);
  if ((process.signals.pending & set) == 0) {
    const Slept slept = kernel->sleep(process, SignalWanted{set}, deadline_ns);
    if (slept == Slept::interrupted) return Call::fail(EINTR);
    if (slept == Slept::late) return Call::fail(EAGAIN);
  }
  *about = take(process, set);
  return about->si_signo;
}

int sigtimedwait(const sigset_t* set, siginfo_t* about, const struct timespec* span) {
  Call call("sigtimedwait", CallKind::waits);
  siginfo_t unused;
  const std::int64_t deadline_ns = span == nullptr ? kNever : kernel->now_ns() + nanoseconds(*span);
  return await(call.process(), bits(*set), about == nullptr ? &unused : about, deadline_ns);
}

int sigwait(const sigset_t* set, int* signal) {
  Call call("sigwait", CallKind::waits);
  siginfo_t about;
  int got;
  do {
    got = await(call.process(), bits(*set), &about, kNever);
  } while (got < 0);
  *signal = got;
  return 0;
}

int signal_descriptor(const sigset_t* set) {
  Call call("signalfd");
  Description made;
  made.signals = bits(*set);
  return kernel->open_description(call.process(), std::move(made), true);
}

int setitimer(int, const struct itimerval* to, struct itimerval* old) {
  Call call("setitimer");
  Timer& alarm = call.process().signals.alarm;
  if (old != nullptr) kernel->fail("the world has no old value of setitimer");
  const auto ns = [](const struct timeval& span) {
    return (span.tv_sec * 1'000'000 + span.tv_usec) * 1000;
  };
  const std::int64_t first = ns(to->it_value);
  alarm = {SIGALRM, first == 0 ? kNever : kernel->now_ns() + first, ns(to->it_interval)};
  return 0;
}

int create_timer(int signal, void** timer) {
  Call call("timer_create");
  Signals& signals = call.process().signals;
  const int number = signals.next_timer++;
  signals.timers[number] = {signal, kNever, 0};
  *timer = reinterpret_cast<void*>(static_cast<std::intptr_t>(number));
  return 0;
}

int number_of(void* timer) { return static_cast<int>(reinterpret_cast<std::intptr_t>(timer)); }

int set(Process& process, void* timer, std::int64_t boot_ns, std::int64_t again_ns) {
  const auto found = process.signals.timers.find(number_of(timer));
  if (found == process.signals.timers.end()) return Call::fail(EINVAL);
  found->second.due_ns = boot_ns;
  found->second.again_ns = again_ns;
  return 0;
}

int set_timer(void* timer, std::int64_t boot_ns) {
  Call call("timer_settime");
  return set(call.process(), timer, boot_ns, 0);
}

int set_thread_timer(void* timer, std::int64_t boot_ns, std::int64_t again_ns) {
  Call call("timer_settime");
  return set(call.process(), timer, boot_ns, again_ns);
}

void delete_timer(void* timer) {
  Call call("timer_delete");
  call.process().signals.timers.erase(number_of(timer));
}

int send_to(Process& from, pid_t pid, int signal, siginfo_t about) {
  if (pid <= 0) kernel->fail("the world has no kill of groups");
  Process* const to = kernel->find_process(pid);
  if (to == nullptr) return Call::fail(ESRCH);
  if (signal == 0) return 0;
  about.si_pid = from.pid;
  about.si_uid = kUser;
  if (signal == SIGKILL) {
    to->killed_at_ns = std::min(to->killed_at_ns, kernel->now_ns());
  } else {
    Kernel::send(*to, signal, about);
  }
  return 0;
}

int kill(pid_t pid, int signal) {
  Call call("kill");
  siginfo_t about = {};
  about.si_code = SI_USER;
  return send_to(call.process(), pid, signal, about);
}

int sigqueue(pid_t pid, int signal, union sigval value) {
  Call call("sigqueue");
  siginfo_t about = {};
  about.si_code = SI_QUEUE;
  about.si_value = value;
  return send_to(call.process(), pid, signal, about);
}

}  // namespace

ssize_t read_signals(Process& process, const Description& from, void* to, std::size_t size) {
  if (size < sizeof(struct signalfd_siginfo)) return Call::fail(EINVAL);
  if ((process.signals.pending & from.signals) == 0) return Call::fail(EAGAIN);
  struct signalfd_siginfo found = {};
  const siginfo_t about = take(process, from.signals);
  found.ssi_signo = static_cast<std::uint32_t>(about.si_signo);
  found.ssi_code = about.si_code;
  found.ssi_pid = static_cast<std::uint32_t>(about.si_pid);
  std::memcpy(to, &found, sizeof found);
  return sizeof found;
}

void install_signals(atmost::os::Calls& calls) {
  calls.sigaction = sigaction;
  calls.sigprocmask = sigprocmask;
  calls.thread_mask = sigprocmask;
  calls.sigpending = sigpending;
  calls.sigtimedwait = sigtimedwait;
  calls.sigwait = sigwait;
  calls.signal_descriptor = signal_descriptor;
  calls.setitimer = setitimer;
  calls.create_timer = create_timer;
  calls.create_thread_timer = create_timer;
  calls.set_timer = set_timer;
  calls.set_thread_timer = set_thread_timer;
  calls.delete_timer = delete_timer;
  calls.kill = kill;
  calls.sigqueue = sigqueue;
}

}  // namespace world
