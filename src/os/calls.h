// Every system call of the front tier, in one table, so that a test can replace the calls that are
// to fail. Each entry has the semantics of the call it names (man 2), errno included. The table is
// plain data, one for the process; tests change it while single-threaded and restore it. Outside
// src/os/, only tests include this.
#ifndef ATMOST_OS_CALLS_H
#define ATMOST_OS_CALLS_H

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

namespace atmost::os {

struct Calls {
  int (*openat)(int dir, const char* path, int flags, mode_t mode);
  int (*close)(int fd);
  ssize_t (*pread)(int fd, void* to, std::size_t size, off_t at);
  ssize_t (*pwrite)(int fd, const void* from, std::size_t size, off_t at);
  ssize_t (*read)(int fd, void* to, std::size_t size);
  ssize_t (*write)(int fd, const void* from, std::size_t size);
  int (*lock)(int fd, int command, struct flock* range);  // fcntl with a struct flock
  int (*control)(int fd, int command, long argument);     // fcntl with a number
  int (*fstat)(int fd, struct stat* to);
  int (*stat)(const char* path, struct stat* to);
  int (*lstat)(const char* path, struct stat* to);
  int (*status)(int dir, const char* path, struct stat* to);  // platform.h
  int (*fchmod)(int fd, mode_t mode);
  int (*fdatasync)(int fd);
  int (*mkdir)(const char* path, mode_t mode);
  long (*filesystem_magic)(int fd);  // fstatfs f_type; -1 with errno
  int (*clock_gettime)(clockid_t clock, struct timespec* to);
  int (*poll)(struct pollfd* fds, unsigned count, int timeout_ms);
  int (*masked_poll)(struct pollfd* fds, unsigned count, int timeout_ms,
                     const sigset_t* mask);  // platform.h
  int (*inotify_init)(int flags);
  int (*inotify_add_watch)(int fd, const char* path, unsigned mask);
  int (*inotify_rm_watch)(int fd, int watch);
  void* (*mmap)(void* at, std::size_t size, int protection, int flags, int fd, off_t offset);
  int (*munmap)(void* at, std::size_t size);
  int (*set_robust_list)(void* head, std::size_t size);
  int (*pidfd_open)(pid_t pid, unsigned flags);
  int (*pidfd_send_signal)(int pidfd, int signal, unsigned flags);
  int (*pidfd_queue_signal)(int pidfd, int signal, std::int64_t value);  // platform.h
  int (*setitimer)(int which, const struct itimerval* to, struct itimerval* old);
  pid_t (*start)(int (*child)(void*), void* argument);  // platform.h
  int (*execve)(const char* path, char* const* argv, char* const* envp);
  pid_t (*wait4)(pid_t pid, int* status, int options, struct rusage* used);
  int (*kill)(pid_t pid, int signal);
  int (*sigqueue)(pid_t pid, int signal, union sigval value);
  int (*sigaction)(int signal, const struct sigaction* to, struct sigaction* old);
  int (*sigprocmask)(int how, const sigset_t* to, sigset_t* old);
  int (*sigtimedwait)(const sigset_t* set, siginfo_t* info,
                      const struct timespec* span);  // no span: for ever
  int (*signal_descriptor)(const sigset_t* set);     // platform.h
  int (*create_timer)(int signal, void** timer);     // platform.h
  int (*set_timer)(void* timer, std::int64_t boot_ns);
  void (*delete_timer)(void* timer);
  ssize_t (*getdents)(int dir, void* to, std::size_t size);
  int (*symlink)(const char* text, const char* path);
  ssize_t (*readlink)(const char* path, char* to, std::size_t size);
  int (*link)(const char* from,
              const char* to);  // the name itself: a symbolic link is not followed
  int (*exchange)(const char* one, const char* other);  // platform.h
  int (*rename_new)(const char* from, const char* to);
  int (*rename)(const char* from, const char* to);
  pid_t (*fork)();
  int (*pipe)(int* ends);
  int (*unlink)(const char* path);
  int (*fstatvfs)(int fd, struct statvfs* to);
  int (*futimens)(int fd, const struct timespec* times);
  int (*flock)(int fd, int operation);  // platform.h
  int (*fallocate)(int fd, int mode, off_t from, off_t size);
  off_t (*seek)(int fd, off_t at, int whence);
};

// The process's table; starts as the real calls.
extern Calls calls;
// The real calls, for a test to put back or to call through.
extern const Calls kRealCalls;

}  // namespace atmost::os

#endif
