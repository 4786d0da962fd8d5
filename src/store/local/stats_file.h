// The statistics of a lock's runs in its file, and those of all locks of the directory in a file
// beside it. Hints: torn, forged or foreign data counts as nothing.
#ifndef ATMOST_STORE_LOCAL_STATS_FILE_H
#define ATMOST_STORE_LOCAL_STATS_FILE_H

#include <string_view>

#include "core/stats.h"
#include "core/text.h"
#include "layout.h"

namespace atmost::local {

// One read. False, and all zero, when there are no valid statistics.
bool read_lock_stats(int fd, LockStats& lock_stats);
int erase_memory(int fd);

// True if only this process's user and root may write to the file. Statistics that others could
// have written shorten no limit: they are neither believed nor added to.
bool is_ours_alone(int fd);

// Reads the statistics for a decision about the lock at `path`: its own, and the present ones of
// the directory. Each is empty if others may write to its file.
void recall(int fd, std::string_view path, LockStats& lock_stats, DirectoryStats& directory_stats);

// The way to create the directory's file if it does not exist.
struct Making {
  bool wanted = false;
  unsigned mode = 0600;
};

// Applies `learn` and writes back; skips the directory's file when another process uses it. Returns
// what `learn` does; false where nothing is learned. REQUIRES: the lock's guard is held. Blocks
// only on the disk.
bool memorize(int fd, std::string_view path, const Making& making, LearnFn learn,
              const RunSample& what);

}  // namespace atmost::local

#endif
