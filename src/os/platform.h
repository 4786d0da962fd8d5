// Calls that Linux has and POSIX.1 lacks. src/os/linux/ and src/os/portable/ define these; the
// portable ones answer ENOSYS, and their callers have a slower way without them. Semantics of the
// call named; errno is set.
#ifndef ATMOST_OS_PLATFORM_H
#define ATMOST_OS_PLATFORM_H

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

#include "file.h"

namespace atmost::os::platform {

long filesystem_magic(int fd);
int inotify_init(int flags);
int inotify_add_watch(int fd, const char* path, unsigned mask);
int inotify_rm_watch(int fd, int watch);
int set_robust_list(void* head, std::size_t size);
// futex(2), for processes that share a mapping of a file. wait_word() sleeps while the word is
// `expected`. wake_word() wakes all who sleep on it, or none, and returns how many slept.
int wait_word(void* word, std::uint32_t expected, const struct timespec* span);
int wake_word(void* word, bool wakes);
int pidfd_open(pid_t pid, unsigned flags);
int pidfd_send_signal(int pidfd, int signal, unsigned flags);
// Sends a value, too, like sigqueue(3).
int pidfd_queue_signal(int pidfd, int signal, std::int64_t value);
ssize_t getdents(int dir, void* to,
                 std::size_t size);  // records of struct linux_dirent64, getdents64(2)

// renameat2(2): exchanges two names atomically; moves a name to one that must be free. EINVAL: this
// filesystem cannot.
int exchange(const char* one, const char* other);
int rename_new(const char* from, const char* to);

// Starts a process that runs child(argument). On Linux it shares our memory and this process is
// suspended until it execs or ends (clone(2) with CLONE_VM | CLONE_VFORK, on a stack of its own);
// elsewhere it is a fork.
pid_t start(int (*child)(void*), void* argument);
// The processors that this process may run on, at least 1 (sched_getaffinity(2)).
std::uint32_t processors();
// `pid` > 0 or -1. Where the system has no account for each child, `used` is the use of all
// children together since the last call.
pid_t wait4(pid_t pid, int* status, int options, struct rusage* used);
int sigtimedwait(const sigset_t* set, siginfo_t* info, const struct timespec* span);

// A descriptor, close-on-exec, that is readable while one of these signals is pending
// (signalfd(2)).
int signal_descriptor(const sigset_t* set);

// poll(2) with `mask` as the thread's signal mask while it blocks, without a gap before or after
// (ppoll(2)). The portable one takes no descriptors.
int masked_poll(struct pollfd* fds, unsigned count, int timeout_ms, const sigset_t* mask);

// A timer on the boot clock that sends `signal` to this process.
int create_timer(int signal, void** timer);
int set_timer(void* timer, std::int64_t boot_ns);
void delete_timer(void* timer);
// The same for the calling thread alone, and again each `again_ns`.
int create_thread_timer(int signal, void** timer);
int set_thread_timer(void* timer, std::int64_t boot_ns, std::int64_t again_ns);

// The status of a file, without its times: of the others only st_dev, st_ino, st_mode, st_nlink,
// st_uid, st_gid and st_size are set. A path that is a symbolic link is not followed; with an empty
// one, of the file that `dir` is open on. A query of the times is expensive: the next write to the
// file then has to give it new ones (0.8 us on ext4, measured).
int status(int dir, const char* path, struct stat* to);

// flock(2), with these operations.
int flock(int fd, int operation);

// close(2) of all descriptors from `first` to `last`.
void close_between(int first, int last);

// fallocate(2), with these modes: frees blocks, or reserves some without a change of the size.
int fallocate(int fd, int mode, off_t from, off_t size);
extern const int kFreeBlocks;
extern const int kReserveBlocks;
// fcntl(2) with F_SETLEASE and F_RDLCK.
int take_read_lease(int fd);
extern const int kFlockShared;
extern const int kFlockExclusive;
extern const int kFlockNoWait;
extern const int kFlockUnlock;

// PR_SET_CHILD_SUBREAPER, prctl(2).
bool adopts_orphans();
void adopt_orphans(bool on);
// When the last writing end of the pipe with the reading end `fd` is closed, the kernel sends this
// process SIGCONT, which continues it if it is stopped. Anything written to that pipe would do so,
// too.
int continue_at_hangup(int fd);

// dup3(2) with O_CLOEXEC; a pipe whose ends are close-on-exec and O_NONBLOCK.
int dup_private(int fd, int to);
int open_pipe_at_once(int* ends);

// When the parent ends the kernel sends this process `signal`; 0: nothing. PR_SET_PDEATHSIG,
// prctl(2).
void die_with_parent(int signal);

// The name of the calling thread, 15 bytes at most: PR_SET_NAME, and PR_GET_NAME into 16 bytes.
void rename_self(const char* name);
void own_name(char* to);

// The kernel's number of the calling thread.
pid_t thread_id();

// As start(), on a stack that the caller has; with `announced` its end sends SIGCHLD, otherwise it
// sends nothing and only a wait for such children sees it.
pid_t start_unseen(int (*child)(void*), char* stack_end, void* argument, bool announced);

// From now on this process leaves no core file, not even through a core_pattern that is a program.
void forbid_core();

// On Linux it makes a system call: finding the vDSO costs a process more than all its calls (4 us,
// measured).
int clock_gettime(clockid_t clock, struct timespec* to);

// The clock that cannot be stepped: CLOCK_BOOTTIME, which counts suspended time, or the nearest
// there is.
extern const clockid_t kBootClock;

// O_NOATIME, open(2), or 0.
extern const int kQuietly;

// fcntl commands for locks owned by the open file description; the process-owned ones where there
// are none.
extern const int kDescriptionSet;
extern const int kDescriptionWait;
extern const int kDescriptionQuery;

// The kernel's path of the file behind `fd` (readlink of /proc/self/fd). Bytes written to `to`, -1.
ssize_t descriptor_path(int fd, char* to, std::size_t size);

// The trust in a filesystem with this magic number, and its name.
Trust classify_filesystem(long magic, const char** name);

}  // namespace atmost::os::platform

#endif
