// Processes that stand still: whether one does nothing but wait for its children, which children it
// has, and on which files it has locks. In a PORTABLE build nothing can be seen.
#ifndef ATMOST_OS_STANDING_H
#define ATMOST_OS_STANDING_H

#include <cstdint>
#include <span>

#include "locks.h"
#include "process.h"

namespace atmost::os {

struct Standing {
  ProcessFacts facts;
  bool atmost = false;  // it runs `atmost` itself
  // Its only thread sleeps until a child of it ends or a signal comes: in wait(2), or in
  // sigsuspend(2) with a handler for SIGCHLD and none for a timer. False where that cannot be seen.
  bool rests = false;
  std::int64_t cpu_ns = 0;  // the processor time that it has used
};
// 0 or an error as process_facts().
int standing_of(std::int64_t pid, Standing& to);

// The children of a process with one thread, those that have ended included. 0; ENOSPC: there are
// more than fit; or another errno value. A child may be missing if another one ends meanwhile.
int children_of(std::int64_t pid, std::span<std::int64_t> to, std::size_t& count);

class LockedFileVisitor {
 public:
  // `link`: a path below /proc that leads to the file. False ends the walk.
  virtual bool locked(const char* link, const LockLine& line) = 0;

 protected:
  ~LockedFileVisitor() = default;
};
// Shows the locks that are held through the descriptors of a process: its own, and those of a
// description that it inherited. Of a process with thousands of descriptors, the first ones. 0 or
// an errno value.
int each_locked_file(std::int64_t pid, LockedFileVisitor& visitor);

}  // namespace atmost::os

#endif
