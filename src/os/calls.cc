#include "calls.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>

#include "platform.h"

namespace atmost::os {
namespace {

int real_openat(int dir, const char* path, int flags, mode_t mode) {
  return openat(dir, path, flags, mode);
}
int real_lock(int fd, int command, struct flock* range) { return fcntl(fd, command, range); }
// musl sets the flag of a duplicate once more, for kernels of before 2.6.24.
int real_control(int fd, int command, long argument) {
#if defined(SYS_fcntl) && !defined(ATMOST_PORTABLE)
  if (command == F_DUPFD_CLOEXEC)
    return static_cast<int>(syscall(SYS_fcntl, fd, command, argument));
#endif
  return fcntl(fd, command, argument);
}
int real_poll(struct pollfd* fds, unsigned count, int timeout_ms) {
  return poll(fds, count, timeout_ms);
}
// setitimer's first parameter is an enum in glibc's C++ headers.
int real_setitimer(int which, const struct itimerval* to, struct itimerval* old) {
  return setitimer(static_cast<decltype(ITIMER_REAL)>(which), to, old);
}

// Close-on-exec, both ends.
int real_pipe(int* ends) {
#if defined(SYS_pipe2) && !defined(ATMOST_PORTABLE)
  return pipe2(ends, O_CLOEXEC);
#else
  if (::pipe(ends) != 0) return -1;
  (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return 0;
#endif
}

int real_link(const char* from, const char* to) {
  return ::linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

// The C libraries disagree about the request's type.
template <typename Request>
int ioctl_by(int (*call)(int, Request, ...), int fd, int request, void* to) {
  return call(fd, static_cast<Request>(request), to);
}
int real_ioctl(int fd, int request, void* to) { return ioctl_by(::ioctl, fd, request, to); }
int real_getrlimit(int which, struct rlimit* to) {
  return ::getrlimit(static_cast<decltype(RLIMIT_CORE)>(which), to);
}
int real_setrlimit(int which, const struct rlimit* to) {
  return ::setrlimit(static_cast<decltype(RLIMIT_CORE)>(which), to);
}
int real_waitid(int type, pid_t id, siginfo_t* info, int options) {
  return ::waitid(static_cast<idtype_t>(type), static_cast<id_t>(id), info, options);
}

}  // namespace

const Calls kRealCalls = {
    real_openat,
    ::close,
    ::pread,
    ::pwrite,
    ::read,
    ::write,
    real_lock,
    real_control,
    ::fstat,
    ::stat,
    ::lstat,
    platform::status,
    ::fchmod,
    ::fdatasync,
    ::mkdir,
    platform::filesystem_magic,
    platform::clock_gettime,
    real_poll,
    platform::masked_poll,
    platform::inotify_init,
    platform::inotify_add_watch,
    platform::inotify_rm_watch,
    ::mmap,
    ::munmap,
    platform::set_robust_list,
    platform::wait_word,
    platform::wake_word,
    platform::pidfd_open,
    platform::pidfd_send_signal,
    platform::pidfd_queue_signal,
    real_setitimer,
    platform::start,
    ::execve,
    platform::wait4,
    ::kill,
    ::sigqueue,
    ::sigaction,
    ::sigprocmask,
    platform::sigtimedwait,
    platform::signal_descriptor,
    platform::create_timer,
    platform::set_timer,
    platform::delete_timer,
    platform::getdents,
    ::symlink,
    ::readlink,
    real_link,
    platform::exchange,
    platform::rename_new,
    ::rename,
    ::fork,
    real_pipe,
    ::unlink,
    ::fstatvfs,
    ::futimens,
    platform::flock,
    platform::fallocate,
    ::lseek,
    real_poll,
    ::clock_gettime,
    ::dup2,
    platform::dup_private,
    platform::open_pipe_at_once,
    platform::close_between,
    platform::descriptor_path,
    platform::take_read_lease,
    platform::continue_at_hangup,
    ::socketpair,
    ::sendmsg,
    ::recvmsg,
    ::send,
    real_ioctl,
    ::isatty,
    ::tcgetpgrp,
    ::_exit,
    ::getpid,
    ::getppid,
    ::getpgid,
    ::getsid,
    ::setsid,
    ::geteuid,
    platform::thread_id,
    ::chdir,
    ::getcwd,
    ::uname,
    real_getrlimit,
    platform::processors,
    real_setrlimit,
    ::madvise,
    real_waitid,
    platform::start_unseen,
    platform::adopts_orphans,
    platform::adopt_orphans,
    platform::die_with_parent,
    platform::forbid_core,
    platform::rename_self,
    platform::own_name,
    ::pthread_sigmask,
    ::sigpending,
    ::sigwait,
    platform::create_thread_timer,
    platform::set_thread_timer,
};

Calls calls = kRealCalls;

}  // namespace atmost::os
