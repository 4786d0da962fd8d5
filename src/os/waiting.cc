#include "waiting.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include <cerrno>
#include <initializer_list>

#include "calls.h"
#include "clock.h"
#include "core/time.h"
#include "futex.h"
#include "signals.h"

namespace atmost::os {
namespace {

constexpr suseconds_t kAgainUs = 10'000;

struct sigaction old_alarm_action;
sigset_t old_mask;
struct sigaction old_stop_action;
struct sigaction alarm_before_notice;
struct sigaction old_interrupt_action;
volatile sig_atomic_t stop_asked = 0;
int stop_signal = SIGTSTP;  // that was asked about

// Its only work is to make a blocking call return EINTR.
void on_alarm(int) {}

void ring_from(std::int64_t first_us) {
  struct itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(first_us / 1'000'000);
  timer.it_value.tv_usec = static_cast<suseconds_t>(first_us % 1'000'000);
  timer.it_interval.tv_usec = kAgainUs;
  calls.setitimer(ITIMER_REAL, &timer, nullptr);
}

void silence() {
  const struct itimerval none = {};
  calls.setitimer(ITIMER_REAL, &none, nullptr);
}

void on_stop(int signal) {
  stop_asked = signal;
  ring_from(kAgainUs);
}

bool listen_for_alarms() {
  struct sigaction action = {};
  action.sa_handler = on_alarm;
  return calls.sigaction(SIGALRM, &action, &old_alarm_action) == 0;
}

// A parent may have left SIGALRM blocked; then no deadline would ever end a call.
void let_through(int signal, sigset_t* old) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  calls.sigprocmask(SIG_UNBLOCK, &set, old);
}

}  // namespace

Alarm::Alarm(std::int64_t boot_deadline_ns) {
  if (boot_deadline_ns == Duration::kForever || !listen_for_alarms()) return;
  armed_ = true;
  let_through(SIGALRM, &old_mask);
  const std::int64_t left_us = (boot_deadline_ns - boot_ns()) / 1000;
  ring_from(left_us > 0 ? left_us : 1);  // 0 would mean never
}

Alarm::~Alarm() {
  if (!armed_) return;
  silence();
  calls.sigprocmask(SIG_SETMASK, &old_mask, nullptr);
  calls.sigaction(SIGALRM, &old_alarm_action, nullptr);
}

void StopNotice::install(bool interrupts) {
  struct sigaction action = {};
  if (installed_) return;
  if (calls.sigaction(SIGTSTP, nullptr, &old_stop_action) != 0) return;
  if (old_stop_action.sa_handler != SIG_DFL) return;
  action.sa_handler = on_stop;
  struct sigaction alarm = {};
  alarm.sa_handler = on_alarm;
  installed_ = calls.sigaction(SIGALRM, &alarm, &alarm_before_notice) == 0 &&
               calls.sigaction(SIGTSTP, &action, nullptr) == 0;
  if (!installed_ || !interrupts) return;
  hears_interrupts_ = calls.sigaction(SIGINT, nullptr, &old_interrupt_action) == 0 &&
                      old_interrupt_action.sa_handler == SIG_DFL &&
                      calls.sigaction(SIGINT, &action, nullptr) == 0;
}

StopNotice::~StopNotice() {
  if (!installed_) return;
  calls.sigaction(SIGTSTP, &old_stop_action, nullptr);
  if (hears_interrupts_) calls.sigaction(SIGINT, &old_interrupt_action, nullptr);
  silence();
  calls.sigaction(SIGALRM, &alarm_before_notice, nullptr);
}

void StopNotice::obey() { stop_self(stop_signal); }

bool StopNotice::interrupts() const { return stop_signal == SIGINT; }

bool StopNotice::asked() {
  if (stop_asked == 0) return false;
  stop_signal = stop_asked;
  stop_asked = 0;
  silence();
  return true;
}

#ifdef SIGEV_THREAD_ID
// As Alarm, with a timer whose signals go to this thread alone.
class ThreadAlarm {
 public:
  explicit ThreadAlarm(std::int64_t boot_deadline_ns) {
    listening_ = listen_for_alarms();
    armed_ = listening_ && boot_deadline_ns != Duration::kForever &&
             calls.create_thread_timer(SIGALRM, &timer_) == 0;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    calls.thread_mask(SIG_UNBLOCK, &set, &mask_);
    if (armed_) calls.set_thread_timer(timer_, boot_deadline_ns, kAgainUs * 1000);
  }
  ThreadAlarm(const ThreadAlarm&) = delete;
  ThreadAlarm& operator=(const ThreadAlarm&) = delete;
  ~ThreadAlarm() {
    if (armed_) calls.delete_timer(timer_);
    // One more may have come: it must not find the old action, which ends the process.
    calls.thread_mask(SIG_SETMASK, &mask_, nullptr);
  }

 private:
  void* timer_ = nullptr;
  sigset_t mask_;
  bool listening_ = false;
  bool armed_ = false;
};
#endif

int wait_lock_until(int fd, Owner owner, LockKind kind, Bytes bytes, std::int64_t boot_deadline_ns,
                    Blocking blocking) {
  if (blocking == Blocking::alarm) {
    Alarm alarm(boot_deadline_ns);
    return wait_lock(fd, owner, kind, bytes);
  }
#ifdef SIGEV_THREAD_ID
  if (blocking == Blocking::thread_alarm) {
    const ThreadAlarm alarm(boot_deadline_ns);
    return wait_lock(fd, owner, kind, bytes);
  }
#endif
  constexpr std::int64_t kFirstPauseNs = 100'000;
  constexpr std::int64_t kLongestPauseNs = 10'000'000;
  for (std::int64_t pause = kFirstPauseNs;;
       pause = pause < kLongestPauseNs ? 2 * pause : kLongestPauseNs) {
    const int error = try_lock(fd, owner, kind, bytes);
    if (error != EAGAIN) return error;
    const std::int64_t now = boot_ns();
    if (now >= boot_deadline_ns) return EINTR;
    const bool slept = sleep_until(boot_deadline_ns - now < pause ? boot_deadline_ns : now + pause);
    if (!slept && blocking == Blocking::interruptible) return EINTR;
  }
}

namespace {

thread_local WaitGate* gate_of_thread = nullptr;

}  // namespace

int poll_at_gate(struct pollfd* fds, unsigned count, int timeout_ms) {
  WaitGate* gate = gate_of_thread;
  if (gate == nullptr) return calls.bare_poll(fds, count, timeout_ms);
  // The descriptor stays readable and, once noticed, would end every later wait at once.
  constexpr unsigned kMost = 4;
  struct pollfd all[kMost + 1];
  const bool may_end = gate->end_fd_ >= 0 && !gate->interrupted_ && count <= kMost;
  if (may_end) {
    for (unsigned i = 0; i < count; ++i) all[i] = fds[i];
    all[count] = {gate->end_fd_, POLLIN, 0};
  }
  const int ready = may_end ? calls.masked_poll(all, count + 1, timeout_ms, gate->mask_)
                            : calls.masked_poll(fds, count, timeout_ms, gate->mask_);
  if (ready < 0 && errno == EINTR) gate->interrupted_ = true;
  if (!may_end || ready <= 0) return ready;
  if (all[count].revents != 0) {
    gate->interrupted_ = true;
    errno = EINTR;
    return -1;
  }
  for (unsigned i = 0; i < count; ++i) fds[i].revents = all[i].revents;
  return ready;
}

WaitGate::WaitGate(const void* mask, int end_fd) : end_fd_(end_fd) {
  sigset_t all;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
    sigdelset(&all, fault);
  calls.thread_mask(SIG_SETMASK, &all, &before_);
  mask_ = mask != nullptr ? static_cast<const sigset_t*>(mask) : &before_;
  gate_of_thread = this;
}

WaitGate::~WaitGate() {
  gate_of_thread = nullptr;
  calls.thread_mask(SIG_SETMASK, &before_, nullptr);
}

void prepare_gates() { calls.poll = poll_at_gate; }

namespace {

#ifdef SOCK_CLOEXEC
constexpr int kType = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
void prepare(int) {}
#else
constexpr int kType = SOCK_STREAM;
void prepare(int fd) {
  (void)calls.control(fd, F_SETFD, FD_CLOEXEC);
  (void)calls.control(fd, F_SETFL, O_NONBLOCK);
}
#endif

}  // namespace

int WakePair::open() {
  int ends[2];
  if (calls.socketpair(AF_UNIX, kType, 0, ends) != 0) return errno;
  for (const int end : ends) prepare(end);
  near_ = Fd(ends[0]);
  far_ = Fd(ends[1]);
  return 0;
}

void WakePair::close() {
  near_.reset();
  far_.reset();
}

void WakePair::raise(End end) const {
  const int before = errno;
  (void)calls.send(fd(end), "", 1, MSG_NOSIGNAL);  // a full buffer: it is readable already
  errno = before;
}

}  // namespace atmost::os
