// What a lock file remembers of its runs, and the file beside it with the experience of all locks
// of the directory. Hints: what is torn, forged or of another format counts as nothing.
#ifndef ATMOST_STORE_LOCAL_STATS_FILE_H
#define ATMOST_STORE_LOCAL_STATS_FILE_H

#include <string_view>

#include "core/stats.h"
#include "core/text.h"
#include "layout.h"

namespace atmost::local {

// One read. False, and all zero, when there is nothing to go by.
bool read_lock_stats(int fd, LockStats& lock_stats);
int write_lock_stats(int fd, const LockStats& lock_stats);
int erase_memory(int fd);

// Whether nobody but this process's user and root may write to the file. What others could have
// written shortens no limit: it is neither believed nor added to.
bool is_ours_alone(int fd);

// Reads what the lock at `path` may go by for a decision: its memory, and the directory's
// experience of this moment. Each is empty if others may write to its file.
void recall(int fd, std::string_view path, LockStats& lock_stats, DirectoryStats& directory_stats);

// How the directory's file is made, if it is not there.
struct Making {
  bool wanted = false;
  unsigned mode = 0600;
};

// Applies `learn` and writes back; to the directory's file not when another process is at it.
// REQUIRES: the lock's guard is held. Blocks on the disk at most.
void memorize(int fd, std::string_view path, const Making& making, LearnFn learn,
              const RunSample& what);

}  // namespace atmost::local

#endif
