// A second process of this program that stays when this one has gone, so that its locks are kept
// until another process ends. PORTABLE: no process can be watched, and start() returns ENOSYS.
#ifndef ATMOST_OS_HELPER_PROCESS_H
#define ATMOST_OS_HELPER_PROCESS_H

#include <cstddef>
#include <cstdint>

#include "fd.h"

namespace atmost::os {

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
