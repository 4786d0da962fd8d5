#include "../platform.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>

#include "core/text.h"

#ifndef F_OFD_SETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#define F_OFD_SETLKW 38
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

namespace atmost::os::platform {
namespace {

// struct statx as the kernel lays it out, which some C libraries do not declare; of the fields
// behind, this program needs none.
struct KernelStatus {
  std::uint32_t answered, block_size;
  std::uint64_t attributes;
  std::uint32_t links, user, group;
  std::uint16_t mode, unused;
  std::uint64_t inode, size, blocks, attributes_known;
  std::uint64_t times[8];
  std::uint32_t special_major, special_minor, device_major, device_minor;
  std::uint64_t reserved[14];
};
static_assert(sizeof(KernelStatus) == 256);

// STATX_TYPE, _MODE, _NLINK, _UID, _GID, _INO, _SIZE.
constexpr unsigned kUntimed = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x100 | 0x200;

struct Known {
  unsigned long magic;
  Trust kind;
  const char* name;
};

// Magic numbers: statfs(2), linux/magic.h. docs/internals/lock-map.md explains why some are
// trusted.
constexpr Known kKnown[] = {
    {0xEF53, Trust::trusted, "ext4"},         {0x58465342, Trust::trusted, "xfs"},
    {0x9123683E, Trust::trusted, "btrfs"},    {0x2FC12FC1, Trust::trusted, "zfs"},
    {0xF2F52010, Trust::trusted, "f2fs"},     {0x01021994, Trust::trusted, "tmpfs"},
    {0x794C7630, Trust::trusted, "overlay"},  {0x858458F6, Trust::trusted, "ramfs"},
    {0xCA451A4E, Trust::trusted, "bcachefs"}, {0x6969, Trust::refused, "nfs"},
    {0xFF534D42, Trust::refused, "cifs"},     {0xFE534D42, Trust::refused, "smb2"},
    {0x517B, Trust::refused, "smb"},          {0x01021997, Trust::refused, "9p"},
    {0x65735546, Trust::refused, "fuse"},     {0x6A656A63, Trust::refused, "virtiofs"},
    {0x5346414F, Trust::refused, "afs"},      {0x00C36400, Trust::refused, "ceph"},
    {0x0BD00BD0, Trust::refused, "lustre"},   {0x47504653, Trust::refused, "gpfs"},
    {0x786F4256, Trust::refused, "vboxsf"},   {0x61756673, Trust::refused, "aufs"},
    {0xF15F, Trust::refused, "ecryptfs"},     {0x73757245, Trust::refused, "coda"},
    {0x01161970, Trust::refused, "gfs2"},     {0x7461636F, Trust::refused, "ocfs2"},
};

}  // namespace

const int kFlockShared = LOCK_SH;
const int kFlockExclusive = LOCK_EX;
const int kFlockNoWait = LOCK_NB;
const int kFlockUnlock = LOCK_UN;
int flock(int fd, int operation) { return ::flock(fd, operation); }

const int kFreeBlocks = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
const int kReserveBlocks = FALLOC_FL_KEEP_SIZE;

int fallocate(int fd, int mode, off_t from, off_t size) {
  return ::fallocate(fd, mode, from, size);
}

int take_read_lease(int fd) { return fcntl(fd, F_SETLEASE, F_RDLCK); }

const clockid_t kBootClock = CLOCK_BOOTTIME;
const int kQuietly = O_NOATIME;
const int kDescriptionSet = F_OFD_SETLK;
const int kDescriptionWait = F_OFD_SETLKW;
const int kDescriptionQuery = F_OFD_GETLK;

int status(int dir, const char* path, struct stat* to) {
  KernelStatus seen;
  const int flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
  if (::syscall(SYS_statx, dir, path, flags, kUntimed, &seen) != 0) {
    // Kernels before 4.11, and some sandboxes, do not have it.
    return errno == ENOSYS || errno == EPERM ? ::fstatat(dir, path, to, flags) : -1;
  }
  to->st_dev = makedev(seen.device_major, seen.device_minor);
  to->st_ino = seen.inode;
  to->st_mode = seen.mode;
  to->st_nlink = seen.links;
  to->st_uid = seen.user;
  to->st_gid = seen.group;
  to->st_size = static_cast<off_t>(seen.size);
  return 0;
}

long filesystem_magic(int fd) {
  struct statfs info;
  if (fstatfs(fd, &info) != 0) return -1;
  return static_cast<long>(static_cast<unsigned int>(info.f_type));
}

int clock_gettime(clockid_t clock, struct timespec* to) {
  // Where long is shorter than time_t the system call of that number has another structure.
  if constexpr (sizeof(long) < sizeof(time_t)) return ::clock_gettime(clock, to);
  return static_cast<int>(syscall(SYS_clock_gettime, clock, to));
}

int masked_poll(struct pollfd* fds, unsigned count, int timeout_ms, const sigset_t* mask) {
  const struct timespec span = {timeout_ms / 1000,
                                static_cast<long>(timeout_ms % 1000) * 1'000'000};
  return ::ppoll(fds, count, timeout_ms < 0 ? nullptr : &span, mask);
}

int inotify_init(int flags) { return inotify_init1(flags); }

int inotify_add_watch(int fd, const char* path, unsigned mask) {
  return ::inotify_add_watch(fd, path, mask);
}

int inotify_rm_watch(int fd, int watch) { return ::inotify_rm_watch(fd, watch); }

std::uint32_t processors() {
  cpu_set_t sets[8] = {};  // of 1,024 processors each; Linux can be built for 8,192
  std::uint32_t count = 0;
  if (::sched_getaffinity(0, sizeof sets, sets) == 0)
    count = static_cast<std::uint32_t>(CPU_COUNT_S(sizeof sets, sets));
  return count > 0 ? count : 1;
}

int set_robust_list(void* head, std::size_t size) {
  return static_cast<int>(syscall(SYS_set_robust_list, head, size));
}

int wait_word(void* word, std::uint32_t expected, const struct timespec* span) {
  return static_cast<int>(syscall(SYS_futex, word, FUTEX_WAIT, expected, span, nullptr, 0));
}

// Waiters that are moved from the word to itself are counted, and none of them wakes.
int wake_word(void* word, bool wakes) {
  constexpr long kAll = INT_MAX;
  const long slept = wakes ? syscall(SYS_futex, word, FUTEX_WAKE, kAll, nullptr, nullptr, 0)
                           : syscall(SYS_futex, word, FUTEX_REQUEUE, 0, kAll, word, 0);
  return static_cast<int>(slept);
}

int pidfd_open(pid_t pid, unsigned flags) {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, flags));
}

int pidfd_send_signal(int pidfd, int signal, unsigned flags) {
  return static_cast<int>(syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, flags));
}
int pidfd_queue_signal(int pidfd, int signal, std::int64_t value) {
  static_assert(sizeof(std::intptr_t) >= sizeof value);
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = reinterpret_cast<void*>(static_cast<std::intptr_t>(value));
  return static_cast<int>(syscall(SYS_pidfd_send_signal, pidfd, signal, &info, 0u));
}

int dup_private(int fd, int to) { return ::dup3(fd, to, O_CLOEXEC); }
int open_pipe_at_once(int* ends) { return ::pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

ssize_t descriptor_path(int fd, char* to, std::size_t size) {
  Text<63> link("/proc/self/fd/");
  link.append_signed(fd);
  return readlink(link.c_str(), to, size);
}

// linux/fs.h: RENAME_NOREPLACE, RENAME_EXCHANGE (Linux 3.15).
int exchange(const char* one, const char* other) {
  constexpr unsigned kExchange = 2;
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, kExchange));
}

int rename_new(const char* from, const char* to) {
  constexpr unsigned kNoReplace = 1;
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, kNoReplace));
}

Trust classify_filesystem(long magic, const char** name) {
  for (const Known& known : kKnown) {
    if (known.magic == static_cast<unsigned long>(magic)) {
      *name = known.name;
      return known.kind;
    }
  }
  *name = "unknown";
  return Trust::unknown;
}

}  // namespace atmost::os::platform
