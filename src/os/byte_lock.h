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
#ifndef ATMOST_OS_BYTE_LOCK_H
#define ATMOST_OS_BYTE_LOCK_H

#include <fcntl.h>

#include <cstdint>

namespace atmost::os {

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

}  // namespace atmost::os

#endif
