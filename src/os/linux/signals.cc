#include "../signals.h"

#include <poll.h>
#include <signal.h>

#include <initializer_list>

#include "../calls.h"
#include "../clock.h"
#include "../platform.h"
#include "core/time.h"

namespace atmost::os {
namespace {

// The signal mask that the gate found when it was made, to be restored.
sigset_t mask_before;
struct sigaction child_before;
bool gate_open = false;

// Ends a wait: SIGCONT, because it alone also wakes a process that is stopped. Made when first
// needed.
void* timer;
bool timer_made = false;
std::int64_t timer_set_for = Duration::kForever;

// Interval between looks at the clock if no timer can be had (RLIMIT_SIGPENDING used up), because
// sigtimedwait's own timeout does not count the time of a suspended machine.
constexpr std::int64_t kLookNs = 1'000'000'000;

// Descriptors of SignalGate::watch(); the first is readable when a signal is pending.
constexpr unsigned kMostWatched = 2;
struct pollfd watched[1 + kMostWatched];
unsigned watched_count = 0;
constexpr int kBlindMs = 50;

// Blocks until a signal is pending, the span is over (null: for ever), or a watched descriptor is
// ready; the number of that descriptor, or 0.
unsigned await_watched(const struct timespec* span) {
  std::int64_t span_ms = -1;
  if (span != nullptr)
    span_ms =
        static_cast<std::int64_t>(span->tv_sec) * 1000 + (span->tv_nsec + 999'999) / 1'000'000;
  if (watched[0].fd < 0 && (span_ms < 0 || span_ms > kBlindMs)) span_ms = kBlindMs;
  const int timeout_ms = span_ms > INT32_MAX ? INT32_MAX : static_cast<int>(span_ms);
  if (calls.poll(watched, 1 + watched_count, timeout_ms) <= 0) return 0;
  // Signals first: one that came before a descriptor was ready belongs to what happened before.
  if (watched[0].revents != 0) return 0;
  for (unsigned i = 1; i <= watched_count; ++i) {
    if (watched[i].fd < 0 || watched[i].revents == 0) continue;
    watched[i].fd = -1;
    return i;
  }
  return 0;
}

bool set_timer(std::int64_t boot_deadline_ns) {
  if (timer_set_for == boot_deadline_ns) return true;
  if (!timer_made) timer_made = calls.create_timer(SIGCONT, &timer) == 0;
  if (!timer_made || calls.set_timer(timer, boot_deadline_ns) != 0) return false;
  timer_set_for = boot_deadline_ns;
  return true;
}

}  // namespace

SignalGate::SignalGate() {
  sigset_t all;
  sigfillset(&all);
  calls.sigprocmask(SIG_SETMASK, &all, &mask_before);
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  calls.sigaction(SIGCHLD, &plain, &child_before);
  gate_open = true;
}

SignalGate::~SignalGate() {
  rest();
  gate_open = false;
  if (child_before.sa_handler != SIG_DFL) calls.sigaction(SIGCHLD, &child_before, nullptr);
  calls.sigprocmask(SIG_SETMASK, &mask_before, nullptr);
}

Arrival SignalGate::next(std::int64_t boot_deadline_ns, std::int64_t soft_boot_ns,
                         std::int64_t boot_ns) {
  struct timespec look = {};
  const struct timespec* limit = nullptr;
  const bool timed = boot_deadline_ns == Duration::kForever || set_timer(boot_deadline_ns);
  if (!timed || soft_boot_ns != Duration::kForever) {
    const std::int64_t now_ns = boot_ns != 0 ? boot_ns : os::boot_ns();
    std::int64_t left_ns = soft_boot_ns - now_ns;
    if (!timed) {
      const std::int64_t hard_ns =
          boot_deadline_ns - now_ns < kLookNs ? boot_deadline_ns - now_ns : kLookNs;
      if (hard_ns < left_ns) left_ns = hard_ns;
    }
    if (left_ns > 0) {
      look.tv_sec = static_cast<time_t>(left_ns / 1'000'000'000);
      look.tv_nsec = static_cast<long>(left_ns % 1'000'000'000);
    }
    limit = &look;
  }
  const struct timespec no_time = {};
  if (watched_count > 0) {
    const unsigned ready = await_watched(limit);
    if (ready != 0) return {.ready = ready};
    limit = &no_time;
  }
  sigset_t all;
  sigfillset(&all);
  if (soft_boot_ns == 0) sigdelset(&all, SIGCHLD);
  siginfo_t info = {};
  const int signal = calls.sigtimedwait(&all, &info, limit);
  if (signal <= 0) return {};
  // kill(2) is 0, tgkill(2) and sigqueue(3) are negative; what the kernel makes itself is positive.
  const Source source = info.si_code == SI_TIMER ? Source::timer
                        : info.si_code <= 0      ? Source::process
                                                 : Source::system;
  if (source == Source::timer && timer_made && signal == SIGCONT) {
    timer_set_for = Duration::kForever;
    return {};
  }
  Arrival arrival = {signal, source};
  const bool of_child = signal == SIGCHLD && source == Source::system;
  const bool ended = of_child && info.si_code != CLD_STOPPED && info.si_code != CLD_CONTINUED;
  if (source == Source::process || ended) arrival.sender = info.si_pid;
  if (info.si_code == SI_QUEUE) arrival.relayed_for = info.si_value.sival_int;
  return arrival;
}

void SignalGate::continue_at(std::int64_t boot_ns) {
  if (boot_ns != Duration::kForever) (void)set_timer(boot_ns);
}

void SignalGate::watch(const int* descriptors, unsigned count) {
  sigset_t all;
  sigfillset(&all);
  watched[0] = {calls.signal_descriptor(&all), POLLIN, 0};
  for (watched_count = 0; watched_count < count && watched_count < kMostWatched; ++watched_count)
    watched[1 + watched_count] = {descriptors[watched_count], POLLIN, 0};
}

void SignalGate::rest() {
  if (watched_count > 0 && watched[0].fd >= 0) calls.close(watched[0].fd);
  watched_count = 0;
  if (timer_made) calls.delete_timer(timer);
  timer_made = false;
  timer_set_for = Duration::kForever;
}

int take_terminal_signal() {
  sigset_t pending;
  calls.sigpending(&pending);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT}) {
    if (sigismember(&pending, signal) != 1) continue;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    const struct timespec no_time = {};
    siginfo_t info = {};
    const bool taken = calls.sigtimedwait(&set, &info, &no_time) == signal;
    const bool of_taker = info.si_code == SI_QUEUE && info.si_value.sival_int == kFromTaker;
    if (taken && !of_taker) return signal;
  }
  return 0;
}

void hand_back_signals() {
  if (!gate_open) return;
  if (child_before.sa_handler == SIG_IGN) calls.sigaction(SIGCHLD, &child_before, nullptr);
  calls.sigprocmask(SIG_SETMASK, &mask_before, nullptr);
}

}  // namespace atmost::os
