#include "../platform.h"

#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace atmost::os::platform {

const clockid_t kBootClock = CLOCK_MONOTONIC;
const int kQuietly = 0;
const int kDescriptionSet = F_SETLK;
const int kDescriptionWait = F_SETLKW;
const int kDescriptionQuery = F_GETLK;
const int kFlockShared = 0;
const int kFlockExclusive = 0;
const int kFlockNoWait = 0;
const int kFlockUnlock = 0;

namespace {
int unsupported() {
  errno = ENOSYS;
  return -1;
}

struct timeval minus(struct timeval a, const struct timeval& b) {
  a.tv_sec -= b.tv_sec;
  a.tv_usec -= b.tv_usec;
  if (a.tv_usec < 0) {
    a.tv_usec += 1'000'000;
    --a.tv_sec;
  }
  return a;
}
}  // namespace

// In POSIX, network filesystems cannot be recognised; all count as local
// (docs/internals/architecture.md).
long filesystem_magic(int) { return 0; }
int clock_gettime(clockid_t clock, struct timespec* to) { return ::clock_gettime(clock, to); }
int masked_poll(struct pollfd*, unsigned count, int timeout_ms, const sigset_t* mask) {
  if (count > 0) {
    errno = ENOSYS;
    return -1;
  }
  const struct timespec span = {timeout_ms / 1000,
                                static_cast<long>(timeout_ms % 1000) * 1'000'000};
  return ::pselect(0, nullptr, nullptr, nullptr, timeout_ms < 0 ? nullptr : &span, mask);
}

int status(int dir, const char* path, struct stat* to) {
  return *path == '\0' ? ::fstat(dir, to) : ::fstatat(dir, path, to, AT_SYMLINK_NOFOLLOW);
}

int inotify_init(int) { return unsupported(); }
int inotify_add_watch(int, const char*, unsigned) { return unsupported(); }
int inotify_rm_watch(int, int) { return unsupported(); }
int set_robust_list(void*, std::size_t) { return unsupported(); }
int wait_word(void*, std::uint32_t, const struct timespec*) { return unsupported(); }
int wake_word(void*, bool) { return unsupported(); }
int pidfd_open(pid_t, unsigned) { return unsupported(); }
int pidfd_send_signal(int, int, unsigned) { return unsupported(); }
int pidfd_queue_signal(int, int, std::int64_t) { return unsupported(); }
ssize_t getdents(int, void*, std::size_t) { return unsupported(); }
int exchange(const char*, const char*) { return unsupported(); }
int rename_new(const char*, const char*) { return unsupported(); }
int sigtimedwait(const sigset_t*, siginfo_t*, const struct timespec*) { return unsupported(); }
int create_timer(int, void**) { return unsupported(); }
int set_timer(void*, std::int64_t) { return unsupported(); }
void delete_timer(void*) {}
bool adopts_orphans() { return false; }
void adopt_orphans(bool) {}
int signal_descriptor(const sigset_t*) { return unsupported(); }
int continue_at_hangup(int) { return unsupported(); }
void forbid_core() {}
int dup_private(int, int) { return unsupported(); }
int open_pipe_at_once(int*) { return unsupported(); }
void die_with_parent(int) {}
void rename_self(const char*) {}
void own_name(char* to) { *to = '\0'; }
pid_t thread_id() { return getpid(); }
pid_t start_unseen(int (*)(void*), char*, void*, bool) { return unsupported(); }
int create_thread_timer(int, void**) { return unsupported(); }
int set_thread_timer(void*, std::int64_t, std::int64_t) { return unsupported(); }
int flock(int, int) { return unsupported(); }

void close_between(int first, int last) {
  constexpr int kMost = 65536;  // more than any program opens by accident
  for (int fd = first; fd <= last && fd < kMost; ++fd) ::close(fd);
}

const int kFreeBlocks = 0;
const int kReserveBlocks = 0;

int fallocate(int, int, off_t, off_t) { return unsupported(); }
int take_read_lease(int) { return unsupported(); }
ssize_t descriptor_path(int, char*, std::size_t) { return unsupported(); }

pid_t start(int (*child)(void*), void* argument) {
  const pid_t pid = fork();
  if (pid == 0) _exit(child(argument));
  return pid;
}

std::uint32_t processors() {
  const long count = ::sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? static_cast<std::uint32_t>(count) : 1;
}

pid_t wait4(pid_t pid, int* status, int options, struct rusage* used) {
  static struct rusage before;
  const pid_t ended = waitpid(pid, status, options);
  struct rusage now = {};
  getrusage(RUSAGE_CHILDREN, &now);
  *used = now;
  used->ru_utime = minus(now.ru_utime, before.ru_utime);
  used->ru_stime = minus(now.ru_stime, before.ru_stime);
  before = now;
  return ended;
}

Trust classify_filesystem(long, const char** name) {
  *name = "local";
  return Trust::trusted;
}

}  // namespace atmost::os::platform
