// The link under a lock's name, the state of the lock, and putting our link under NAME and taking
// it away again, where the original may do the same at any moment. tests/model/mixed.pml is this
// file as a model.
#ifndef ATMOST_STORE_SYMLINK_LINK_H
#define ATMOST_STORE_SYMLINK_LINK_H

#include <cstdint>

#include "core/result.h"
#include "core/text.h"
#include "core/time.h"
#include "format.h"
#include "mutex_link.h"
#include "os/process.h"

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

// Never blocks. REQUIRES: the mutex is held. `spare`: a name that no process uses. `text`: a target
// that was never used; `boot`: this boot's hash. A link whose lock is over is exchanged for ours in
// one step; only then is it examined, and if it is not the one that was found to be over, the two
// are exchanged back. So NAME is never empty meanwhile, and no process loses its lock because a
// different link was examined. Where names cannot be exchanged, the old link is moved away,
// examined, and put back if necessary: then NAME is free for a moment, as with the original.
Result<TryLock> take_link(const LockNames& names, const PathText& spare, const PathText& text,
                          const Instant& now, std::uint64_t boot);

// Removes the link under NAME if its text is `text`; any other stays. REQUIRES: the mutex is held.
void leave_link(const LockNames& names, const PathText& spare, const PathText& text);

// Removes links that the original has moved aside and links that atmost processes left when they
// were killed. `mutex_text`: the text of our mutex, whose rights stay.
void sweep(const LockNames& names, std::string_view mutex_text, const Instant& now,
           std::uint64_t boot);

// Removes the lock link of that text and its mutex link. Leaves links alone that another process
// has since put in their place. `boot`: this boot's hash. Failures are not reported: a link that
// stays names a holder that has ended or will end.
void remove_lock(const LockNames& names, const MutexText& mutex, const PathText& text,
                 std::uint64_t boot);

}  // namespace atmost::symlink

#endif
