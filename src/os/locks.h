// Locks that the kernel keeps, and the processes that it shows as their holders.
#ifndef ATMOST_OS_LOCKS_H
#define ATMOST_OS_LOCKS_H

#include <fcntl.h>

#include <cstdint>

#include "process.h"

namespace atmost::os {

// Byte-range locks. docs/internals/lock-map.md describes the kernel's behaviour in full.
//
// Owner::description: F_OFD_* locks, owned by the open file description. A forked child shares
//   them, closing another descriptor of the file does not drop them, they end with the last
//   descriptor or an explicit unlock by anyone who shares it. F_GETLK shows -1 for their pid.
// Owner::process: POSIX locks, owned by the process; not inherited by fork, kept across exec, and
//   dropped as soon as the process closes any descriptor of the file.
// In a PORTABLE build description means process.
//
// Functions return 0 or an errno value unless they say otherwise.

enum class Owner { description, process };
enum class LockKind : short { read = F_RDLCK, write = F_WRLCK };

struct Bytes {
  std::int64_t start = 0;
  std::int64_t length = 1;  // 0: to the end of all bytes
};

// True if description-owned locks are really that in this build.
bool has_description_locks();

// Never blocks. EAGAIN: another owner's lock is in the way. Other values: the call failed.
int try_lock(int fd, Owner owner, LockKind kind, Bytes bytes);
// Blocks until held, or EINTR once a signal handler ran. The kernel promises no order among blocked
// callers.
int wait_lock(int fd, Owner owner, LockKind kind, Bytes bytes);
int unlock(int fd, Owner owner, Bytes bytes);

// A conflicting lock. If there are several, the kernel picks any.
struct Conflict {
  bool found = false;
  bool write = false;  // else a read lock, which any process that may read the file can take
  Bytes bytes;
  // A suggestion only (recycled, foreign); -1: description-owned; 0: not visible from here
  std::int64_t pid = 0;
};
// Own locks of the same owner are never reported.
int query_lock(int fd, Owner owner, LockKind kind, Bytes bytes, Conflict& to);

// A mark on the open file description of a regular file, by which it is recognised if the program
// around us may have closed the descriptor and opened something else under its number. It is the
// file offset, which none of our calls uses: pread and pwrite do not move it. Each mark is given
// once in a process. 0: the descriptor cannot be marked.
std::int64_t mark_descriptor(int fd);
bool copy_mark(int fd, std::int64_t mark);  // for a second description of the same file
// `none`: it has no mark, as when the program has moved the offset, or is not open.
enum class Marked : std::uint8_t { so, otherwise, none };
Marked marked(int fd, std::int64_t mark);

// One "lock:" line of /proc/PID/fdinfo/FD (fs/locks.c, lock_get_status).
struct LockLine {
  bool description = false;  // OFDLCK; else POSIX
  bool write = false;
  std::int64_t pid = 0;       // -1 for description-owned
  unsigned device_major = 0;  // of the filesystem; most have the same for st_dev
  unsigned device_minor = 0;
  std::uint64_t inode = 0;
  std::int64_t start = 0;
  std::int64_t end = INT64_MAX;  // the last byte; INT64_MAX: to the end of all bytes

  bool covers(std::int64_t byte) const { return start <= byte && byte <= end; }
};

// False for any other line, flock and lease lines included.
bool parse_lock_line(std::string_view line, LockLine& to);
// The same for a line about a flock(2) that is held, there or in /proc/locks (which has no "lock:"
// in front).
bool parse_flock_line(std::string_view line, LockLine& to);

class LockLineVisitor {
 public:
  virtual void lock(const LockLine& line) = 0;

 protected:
  ~LockLineVisitor() = default;
};

enum class Holding : std::uint8_t { no, yes, unreadable };

// True if the process has a descriptor of the file (`device`, `inode` as fstat gives them) through
// which a write lock on `byte` is held: its own, or one of an open file description that it
// inherited. `unreadable`: another user's process, or no /proc. Opens no file of the process. Says
// nothing about the next moment: open a ProcessHandle first, ask, and the handle then still means
// the process that was asked about.
Holding holds_byte(std::int64_t pid, std::uint64_t device, std::uint64_t inode, std::int64_t byte);
// The same, and shows that lock.
Holding find_lock(std::int64_t pid, std::uint64_t device, std::uint64_t inode, std::int64_t byte,
                  LockLine& to);

// Shows every lock on the file that is held through a descriptor of the process (as above); once
// for each descriptor that leads to it. `yes` when there was one.
Holding each_lock(std::int64_t pid, std::uint64_t device, std::uint64_t inode,
                  LockLineVisitor& visitor);

// The same for a flock(2) on the file.
Holding holds_flock(std::int64_t pid, std::uint64_t device, std::uint64_t inode);

// flock(2): a lock of the whole file, which belongs to the open file description: every process
// that inherits a descriptor has it, and it ends when the last of them is closed or any process
// unlocks it. Byte locks and these do not see one another on local filesystems.
// flock(1) takes this lock.
//
// PORTABLE: POSIX has none; ENOSYS.

// Never blocks. 0; EAGAIN: another lock is in the way; or another errno value.
int try_flock(int fd, LockKind kind);
int drop_flock(int fd);

// True if a descriptor of the process, or of one of its ancestors, holds a flock on the file
// (`device`, `inode` as fstat gives them). Processes that may not be looked at count as having
// none.
bool flock_above(std::int64_t pid, std::uint64_t device, std::uint64_t inode);

// Every flock that is held on this machine, from /proc/locks, until the visitor ends it. Reading
// that stalls every lock operation of the machine for 13 to 25 ms (measured): for diagnosis only. 0
// or an errno value.
class FlockVisitor {
 public:
  // False ends it. `line.pid` took it: it may have ended, or be another process by now; 0: not
  // visible from here.
  virtual bool flock(const LockLine& line) = 0;

 protected:
  ~FlockVisitor() = default;
};
int each_flock(FlockVisitor& visitor);

// True if the line is about the file. Where the filesystem's device is not that of its files
// (btrfs, overlay) only if the taker may be looked at.
bool is_about(const LockLine& line, std::uint64_t device, std::uint64_t inode);

// Any flock on the file, into `to`. False: none is seen.
bool find_flock(std::uint64_t device, std::uint64_t inode, LockLine& to);

struct HeldRange {
  std::int64_t pid = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;  // the last byte
  bool write = false;
  bool description = false;
};

// The processes that have locked bytes of one file, from /proc: read once, then queried.
//
// About half a MiB, of which only the filled part is touched: meant to be static. An inherited
// description-owned lock has an entry for every process that has it. Locks that cannot be seen
// (those of other users' processes for ordinary users, of other pid namespaces, without /proc) are
// missing: unreadable() is true if that is possible.
class LockHoldings {
 public:
  // Milliseconds: every descriptor of every process is looked at.
  void gather(std::uint64_t device, std::uint64_t inode);

  std::uint32_t count() const { return count_; }
  const HeldRange& operator[](std::uint32_t at) const { return entries_[at]; }
  bool holds(std::int64_t pid, std::int64_t byte) const;
  bool anybody_holds(std::int64_t byte) const;
  bool unreadable() const { return unreadable_ > 0; }
  bool full() const { return full_; }

 private:
  static constexpr std::uint32_t kMost = 16384;
  class Gatherer;  // apart, so that this stays plain zeros until it is used

  HeldRange entries_[kMost];
  std::uint32_t count_ = 0;
  std::uint32_t unreadable_ = 0;
  bool full_ = false;
};

}  // namespace atmost::os

#endif
