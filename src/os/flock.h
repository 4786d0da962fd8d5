// flock(2): a lock of the whole file, which belongs to the open file description: every process
// that inherits a descriptor has it, and it ends when the last of them is closed or any process
// unlocks it. Byte locks (byte_lock.h) and these do not see one another on local filesystems.
// flock(1) takes this lock.
//
// PORTABLE: POSIX has none; ENOSYS.
#ifndef ATMOST_OS_FLOCK_H
#define ATMOST_OS_FLOCK_H

#include <cstdint>

#include "byte_lock.h"
#include "process.h"

namespace atmost::os {

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

}  // namespace atmost::os

#endif
