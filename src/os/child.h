// A forked child that makes calls which may never return, and reports their results through a pipe.
#ifndef ATMOST_OS_CHILD_H
#define ATMOST_OS_CHILD_H

#include <cstddef>
#include <cstdint>

#include "fd.h"

namespace atmost::os {

// Work for a child: reads orders from kOrders until it ends, reports to kReport, and ends the child
// by returning. The child has no other descriptor of ours than these and, if one was to be kept,
// kKept (close-on-exec); its standard error is discarded. So a child that hangs keeps no terminal,
// pipe or lock of ours open. All signals that can be blocked are blocked: a report without a reader
// fails with EPIPE, and the child can still clean up.
//
// One owner, single-threaded callers. The destructor closes the pipes, which ends a well-behaved
// child, and does not wait.
class Child {
 public:
  static constexpr int kOrders = 0;
  static constexpr int kReport = 1;
  static constexpr int kKept = 3;

  // 0 or an errno value. `keep`: a descriptor for the child, -1 for none.
  int start(void (*work)(void* context), void* context, int keep = -1);
  std::int64_t pid() const { return pid_; }

  // Sends the whole order. 0 or an errno value (EPIPE: the child has gone; this raises SIGPIPE
  // where it is not blocked, as it is in a Child).
  int order(const void* from, std::size_t size);
  enum class Heard : std::uint8_t { some, ended, silent };
  // Its report since the last call, at most `size` bytes; blocks until there is
  // something, the child has closed its end (`ended`), or `boot_deadline_ns` (`silent`).
  Heard listen(void* to, std::size_t size, std::size_t& got, std::int64_t boot_deadline_ns);

  // SIGKILL, then waits until it is gone; for ever if it cannot die (a dead mount). For children of
  // children.
  void kill_and_wait();
  // SIGKILL without waiting: a process in uninterruptible sleep dies when it wakes.
  void kill_and_leave();
  // Stops listening to the child. It goes on until it ends by itself; init reaps it if this process
  // has gone by then.
  void leave();

 private:
  void close_pipes();

  std::int64_t pid_ = 0;
  Fd orders_;
  Fd report_;
};

// For the child's side. All bytes, or false: the other process has gone.
bool receive(void* to, std::size_t size);
bool report(const void* from, std::size_t size);

}  // namespace atmost::os

#endif
