// A forked child that does for us what may never return, and tells us how it went through a pipe.
#ifndef ATMOST_OS_CHILD_H
#define ATMOST_OS_CHILD_H

#include <cstddef>
#include <cstdint>

#include "fd.h"

namespace atmost::os {

// Work for a child: reads orders from kOrders until it ends, reports to kReport, returns to end the
// child. The child has no other descriptor of ours than these and, if one was to be kept, kKept
// (close-on-exec); standard error leads nowhere. So a child that hangs keeps no terminal, pipe or
// lock of ours open. All signals that can be blocked are blocked: a report that nobody reads any
// more fails with EPIPE, and what the child has to clean up it can.
//
// One owner, single-threaded callers. The destructor closes the pipes, which a well-behaved child
// takes as its order to end, and waits for nobody.
class Child {
 public:
  static constexpr int kOrders = 0;
  static constexpr int kReport = 1;
  static constexpr int kKept = 3;

  // 0 or an errno value. `keep`: a descriptor for the child, -1 for none.
  int start(void (*work)(void* context), void* context, int keep = -1);
  std::int64_t pid() const { return pid_; }

  // The whole order, or the errno value of what went wrong (EPIPE: the child has gone; that raises
  // SIGPIPE where it is not blocked, as it is in a Child).
  int order(const void* from, std::size_t size);
  enum class Heard : std::uint8_t { some, ended, silent };
  // What it reported since, at most `size` bytes; blocks until there is something, the child has
  // closed its end
  // (`ended`), or `boot_deadline_ns` (`silent`).
  Heard listen(void* to, std::size_t size, std::size_t& got, std::int64_t boot_deadline_ns);

  // SIGKILL, then waits until it is gone: for ever if it cannot die (a dead mount). For children of
  // children.
  void kill_and_wait();
  // SIGKILL without waiting: a process in uninterruptible sleep dies when it wakes.
  void kill_and_leave();
  // No longer listened to. It goes on for as long as it likes; its end is init's to notice when we
  // are gone.
  void leave();

 private:
  void close_pipes();

  std::int64_t pid_ = 0;
  Fd orders_;
  Fd report_;
};

// For the child's side. All bytes, or false: nobody is there any more.
bool receive(void* to, std::size_t size);
bool report(const void* from, std::size_t size);

}  // namespace atmost::os

#endif
