// The link under a lock's name, and the state of the lock.
#ifndef ATMOST_STORE_SYMLINK_SNAPSHOT_H
#define ATMOST_STORE_SYMLINK_SNAPSHOT_H

#include <cstdint>

#include "core/text.h"
#include "core/time.h"
#include "os/process.h"
#include "target.h"

namespace atmost::symlink {

struct Snapshot {
  enum class Kind : std::uint8_t {
    absent,
    lock,   // a symbolic link of the format
    alien,  // anything else, which is never removed
  };
  Kind kind = Kind::absent;
  std::uint64_t inode = 0;
  std::int64_t made_ns = 0;  // on the wall clock of its making (mtime: a rename leaves it alone)
  std::uint32_t uid = 0;
  PathText text;
  Target target;
};

// The inode and the text belong to one moment. Returns 0 or an errno value (never ENOENT).
int look(const char* path, Snapshot& to);

// True if they are the same link. The inode number alone does not say so: a new link may get it as
// soon as the old one is gone.
bool same(const Snapshot& one, const Snapshot& other);

// True if the lock has ended by itself: its time is over (by `now`, the wall clock), its process is
// gone, or another process has its number. Our links identify their process exactly. Of the
// original's links only the pid and the output of ps are known: a process is another one if parent
// or group differ and it began after the link was made. One of the two is not enough (an orphan has
// a new parent; after the clock was put forward every process seems younger); then the lock counts
// as held. `boot`: this boot's hash. `handle`, if any, is opened on the holder.
bool over(const Snapshot& lock, const Instant& now, std::uint64_t boot, os::ProcessHandle* handle);

}  // namespace atmost::symlink

#endif
