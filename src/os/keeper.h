// A second process of ours that stays when this one has gone, to keep what it holds until another process ends.
// PORTABLE: no process can be watched, and start_companion() answers ENOSYS.
#ifndef ATMOST_OS_KEEPER_H
#define ATMOST_OS_KEEPER_H

#include <cstddef>
#include <cstdint>

#include "fd.h"

namespace atmost::os {

// One end of the line between a process and its companion. Move-only; closing it is how either learns that the other
// has gone. Descriptors are close-on-exec and none of 0, 1, 2.
class Companion {
 public:
  // Forks. 0 in both processes, or an errno value. The companion is a copy of this process with all its descriptors,
  // its terminal and its signals; until stand_alone() it dies (SIGKILL) with this process. REQUIRES: single-threaded.
  int start();
  bool is_companion() const { return is_companion_; }

  // To the other side: all bytes or false, when nobody is there any more (no SIGPIPE is raised).
  bool tell(const void* from, std::size_t size) const;
  // From the other side: all bytes or false. Blocks.
  bool hear(void* to, std::size_t size) const;

  // For the starter: blocks until the companion has told something or has ended (`heard`: hear() will not block), or
  // the process behind `handle` (ProcessHandle::descriptor) has ended.
  enum class First : std::uint8_t { heard, process_ended };
  First which_first(int handle) const;
  // For the starter: SIGKILL, and waits until it is gone.
  void kill_and_wait();

  // For the companion: from now on it outlives the process that started it.
  void stand_alone();
  // For the companion: a session of its own without a terminal, the root as its directory, and no descriptor but
  // those of `keep`: neither a standard stream nor this line.
  void settle(const int* keep, unsigned count);

 private:
  bool is_companion_ = false;
  std::int64_t pid_ = 0;
  Fd in_;
  Fd out_;
};

// Why watch_process() came back: the process has ended; somebody wants us to let go (SIGTERM, SIGINT, SIGHUP); it is
// time.
enum class Watched : std::uint8_t { ended, told, time_up };

// While alive every signal is held back but those that watch_process() lets through, which end nothing by themselves.
// Process-wide, for the rest of the process's life. Blocks until one of the three; time on the boot clock also passes
// while the machine is suspended, and continues us when we were stopped. kForever: no end.
class Watchman {
 public:
  explicit Watchman(std::int64_t boot_deadline_ns);
  Watched watch(int handle);

 private:
  std::int64_t deadline_ns_;
  bool timed_ = false;
};

// The marks by which processes are found whose parents have gone: a variable in the environment they were started with.
// Its value is a list of process ids with colons between.

// Whether the environment that `pid` was started with has `pid_in_mark` in the list of variable `name`. False as well when
// that cannot be seen: another user's process, one that has overwritten its environment, no /proc.
bool is_marked(std::int64_t pid, const char* name, std::int64_t pid_in_mark);
// Makes this process's own environment, as others see it, one without that variable.
void hide_mark(const char* name);

}  // namespace atmost::os

#endif
