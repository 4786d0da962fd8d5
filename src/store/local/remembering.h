// What a lock file remembers of its runs, and the file beside it with the experience of all locks
// of the directory. Hints: what is torn, forged or of another format counts as nothing.
#ifndef ATMOST_STORE_LOCAL_REMEMBERING_H
#define ATMOST_STORE_LOCAL_REMEMBERING_H

#include <string_view>

#include "core/stats.h"
#include "core/text.h"
#include "layout.h"

namespace atmost::local {

// One read. False, and all zero, when there is nothing to go by.
bool read_memory(int fd, LockStats& memory, DirectoryStats& experience);
int write_memory(int fd, const LockStats& memory, const DirectoryStats& experience);
int erase_memory(int fd);

// Reads what the lock at `path` may go by for a decision: its memory and, while that is young, the
// directory's experience of this moment; later the one that was noted with it.
void recall(int fd, std::string_view path, LockStats& memory, DirectoryStats& experience);

// How the directory's file is made, if it is not there.
struct Making {
  bool wanted = false;
  unsigned mode = 0600;
};

// Applies `learn` and writes back. The directory's file is brought up to date by young locks at
// each run, by others now and then, and not when another process is at it. REQUIRES: the lock's
// guard is held. Blocks on the disk at most.
void memorize(int fd, std::string_view path, const Making& making, LearnFn learn,
              const RunSample& what);

}  // namespace atmost::local

#endif
