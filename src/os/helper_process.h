// Forked processes of this same program that work for it, or in its place.
#ifndef ATMOST_OS_HELPER_PROCESS_H
#define ATMOST_OS_HELPER_PROCESS_H

#include <cstddef>
#include <cstdint>

#include "file.h"

namespace atmost::os {

// A forked child that makes calls which may never return, and reports their results through a pipe.
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

// A second process of this program that stays when this one has gone, so that its locks are kept
// until another process ends. PORTABLE: no process can be watched, and start() returns ENOSYS.

// One end of the line between a process and its helper. Move-only. Each process notices the end of
// the other, because the line closes. Descriptors are close-on-exec and none of 0, 1, 2.
class HelperProcess {
 public:
  // Forks. 0 in both processes, or an errno value. The helper is a copy of this process with all
  // its descriptors, its terminal and its signals. Only those that ask to end (HUP, INT, QUIT,
  // TERM) stay pending until an EventWait: a process that knows the helper may send SIGTERM before
  // it runs, and the others, of a terminal, are forgotten by settle(). REQUIRES: single-threaded.
  int start();
  bool is_helper() const { return starter_ != 0; }
  std::int64_t pid() const { return pid_; }  // for the starter: its number

  // To the other side: all bytes, or false when the other process has gone (no SIGPIPE is raised).
  bool send(const void* from, std::size_t size) const;
  // From the other side: all bytes or false. Blocks.
  bool receive(void* to, std::size_t size) const;

  // For the starter: blocks until the helper has sent something or has ended (`received`: receive()
  // will not block), or the process behind `handle` (ProcessHandle::descriptor) has ended.
  enum class First : std::uint8_t { received, process_ended };
  First which_first(int handle) const;
  // For the starter: SIGKILL, and waits until it has ended.
  void kill_and_wait();

  // For the helper: from now on it dies (SIGKILL) with the process that started it; from now on
  // it does not.
  void die_with_starter();
  void stand_alone();
  // For the helper: a session of its own without a terminal, the root as its directory, and no
  // descriptor but those of `keep`: neither a standard stream nor this line.
  void settle(const int* keep, unsigned count);

 private:
  std::int64_t starter_ = 0;
  std::int64_t pid_ = 0;
  Fd in_;
  Fd out_;
};

}  // namespace atmost::os

#endif
