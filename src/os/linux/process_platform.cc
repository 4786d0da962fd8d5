// The part of platform.h that makes, times and reaps processes.
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../platform.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid  // glibc has no name for it
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace atmost::os::platform {
namespace {

// execute() needs a little over PATH_MAX; the rest is for the C library. Our own stack is unused
// meanwhile, but clone(2) wants another one.
constexpr std::size_t kChildStack = std::size_t{32} * 1024;
alignas(64) char child_stack[kChildStack];

}  // namespace

ssize_t getdents(int dir, void* to, std::size_t size) {
  return syscall(SYS_getdents64, dir, to, size);
}

pid_t start(int (*child)(void*), void* argument) {
  return clone(child, child_stack + kChildStack, CLONE_VM | CLONE_VFORK | SIGCHLD, argument);
}

pid_t start_unseen(int (*child)(void*), char* stack_end, void* argument, bool announced) {
  return clone(child, stack_end, CLONE_VM | CLONE_VFORK | (announced ? SIGCHLD : 0), argument);
}

pid_t thread_id() { return gettid(); }

void close_between(int first, int last) {
  if (first > last || syscall(SYS_close_range, first, last, 0) == 0) return;
  struct rlimit limit = {};
  constexpr int kMost = 65536;  // more than any program opens by accident
  const bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < kMost;
  const int end = known ? static_cast<int>(limit.rlim_cur) : kMost;
  for (int fd = first; fd <= last && fd < end; ++fd) close(fd);
}

pid_t wait4(pid_t pid, int* status, int options, struct rusage* used) {
  return ::wait4(pid, status, options, used);
}

int sigtimedwait(const sigset_t* set, siginfo_t* info, const struct timespec* span) {
  return ::sigtimedwait(set, info, span);
}

int create_timer(int signal, void** timer) {
  struct sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = signal;
  return timer_create(CLOCK_BOOTTIME, &event, timer);
}

int set_timer(void* timer, std::int64_t boot_ns) {
  struct itimerspec at = {};
  if (boot_ns < 1) boot_ns = 1;  // 0 would disarm it
  at.it_value.tv_sec = static_cast<time_t>(boot_ns / 1'000'000'000);
  at.it_value.tv_nsec = static_cast<long>(boot_ns % 1'000'000'000);
  return timer_settime(timer, TIMER_ABSTIME, &at, nullptr);
}

void delete_timer(void* timer) { timer_delete(timer); }

int create_thread_timer(int signal, void** timer) {
  struct sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event.sigev_notify_thread_id = gettid();
  return timer_create(CLOCK_BOOTTIME, &event, timer);
}

int set_thread_timer(void* timer, std::int64_t boot_ns, std::int64_t again_ns) {
  struct itimerspec at = {};
  if (boot_ns < 1) boot_ns = 1;  // 0 would disarm it
  at.it_value.tv_sec = static_cast<time_t>(boot_ns / 1'000'000'000);
  at.it_value.tv_nsec = static_cast<long>(boot_ns % 1'000'000'000);
  at.it_interval.tv_nsec = static_cast<long>(again_ns);
  return timer_settime(timer, TIMER_ABSTIME, &at, nullptr);
}

int signal_descriptor(const sigset_t* set) { return signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK); }

bool adopts_orphans() {
  int on = 0;
  return prctl(PR_GET_CHILD_SUBREAPER, &on, 0, 0, 0) == 0 && on != 0;
}

void adopt_orphans(bool on) { prctl(PR_SET_CHILD_SUBREAPER, on ? 1 : 0, 0, 0, 0); }

// The kernel reports a hangup of a pipe by a signal, fcntl(2): F_SETSIG chooses which.
int continue_at_hangup(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETOWN, getpid()) != 0 || fcntl(fd, F_SETSIG, SIGCONT) != 0)
    return -1;
  return fcntl(fd, F_SETFL, flags | O_ASYNC);
}

void die_with_parent(int signal) { prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

void rename_self(const char* name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
void own_name(char* to) { prctl(PR_GET_NAME, to, 0, 0, 0); }

void forbid_core() { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

}  // namespace atmost::os::platform
