// Finding locked ranges by queries. For a range, the kernel names any one conflict, not the
// left-most.
#ifndef ATMOST_STORE_LOCAL_RANGES_H
#define ATMOST_STORE_LOCAL_RANGES_H

#include <cstdint>

#include "os/locks.h"

namespace atmost::local {

struct Run {
  bool found = false;
  std::int64_t start = 0;
  std::int64_t end = 0;  // behind the last byte
  os::Conflict lock;     // whose bytes are all those of one lock
};

// The left-most lock of others in [low, end), clipped to it. Takes about two queries
// for each run when the locks were taken in ascending order. `against`: read to ignore read locks.
// Returns 0 or an errno value.
int first_locked(int fd, std::int64_t low, std::int64_t end, Run& to,
                 os::LockKind against = os::LockKind::write);

// The right-most run; at least its last byte is reported. Looks near `end` first, where it usually
// is.
int last_locked(int fd, std::int64_t low, std::int64_t end, Run& to,
                os::LockKind against = os::LockKind::write);

}  // namespace atmost::local

#endif
