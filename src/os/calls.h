// Every system call of the front tier, in one table, so that a test can replace the calls that are
// to fail; tools/check_front finds a call past it. Each entry has the semantics of the call it
// names (man 2), errno included. The table is plain data, one for the process; tests change it
// while single-threaded and restore it. Outside src/os/, only tests include this.
#ifndef ATMOST_OS_CALLS_H
#define ATMOST_OS_CALLS_H

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <sys/wait.h>
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
  int (*wait_word)(void* word, std::uint32_t expected,
                   const struct timespec* span);  // platform.h
  int (*wake_word)(void* word, bool wakes);
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
  int (*bare_poll)(struct pollfd* fds, unsigned count,
                   int timeout_ms);  // never replaced by prepare_gates()
  int (*clock_in_process)(clockid_t clock, struct timespec* to);  // without a system call
  // Descriptors.
  int (*dup2)(int fd, int to);
  int (*dup_private)(int fd, int to);          // platform.h
  int (*open_pipe_at_once)(int* ends);         // close-on-exec, O_NONBLOCK; platform.h
  void (*close_between)(int first, int last);  // platform.h
  ssize_t (*descriptor_path)(int fd, char* to, std::size_t size);  // platform.h
  int (*take_read_lease)(int fd);                                  // platform.h
  int (*continue_at_hangup)(int fd);                               // platform.h
  int (*socketpair)(int family, int type, int protocol, int* ends);
  ssize_t (*sendmsg)(int fd, const struct msghdr* message, int flags);
  ssize_t (*recvmsg)(int fd, struct msghdr* message, int flags);
  ssize_t (*send)(int fd, const void* from, std::size_t size, int flags);
  int (*ioctl)(int fd, int request, void* to);
  // Terminals.
  int (*isatty)(int fd);
  pid_t (*tcgetpgrp)(int fd);
  // This process and others.
  void (*exit)(int code);  // _exit(2)
  pid_t (*getpid)();
  pid_t (*getppid)();
  pid_t (*getpgid)(pid_t pid);
  pid_t (*getsid)(pid_t pid);
  pid_t (*setsid)();
  uid_t (*geteuid)();
  pid_t (*thread_id)();  // platform.h
  int (*chdir)(const char* path);
  char* (*getcwd)(char* to, std::size_t size);
  int (*uname)(struct utsname* to);
  int (*getrlimit)(int which, struct rlimit* to);
  std::uint32_t (*processors)();  // platform.h
  int (*setrlimit)(int which, const struct rlimit* to);
  int (*madvise)(void* at, std::size_t size, int advice);
  int (*waitid)(int type, pid_t id, siginfo_t* info, int options);
  // platform.h
  pid_t (*start_unseen)(int (*child)(void*), char* stack_end, void* argument, bool announced);
  bool (*adopts_orphans)();
  void (*adopt_orphans)(bool on);
  void (*die_with_parent)(int signal);
  void (*forbid_core)();
  void (*rename_self)(const char* name);
  void (*own_name)(char* to);
  // Signals.
  int (*thread_mask)(int how, const sigset_t* to, sigset_t* old);  // pthread_sigmask
  int (*sigpending)(sigset_t* to);
  int (*sigwait)(const sigset_t* set, int* signal);
  int (*create_thread_timer)(int signal, void** timer);  // platform.h
  int (*set_thread_timer)(void* timer, std::int64_t boot_ns, std::int64_t again_ns);
};

// The process's table; starts as the real calls.
extern Calls calls;
// The real calls, for a test to put back or to call through.
extern const Calls kRealCalls;

}  // namespace atmost::os

#endif
