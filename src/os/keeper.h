// A second process of ours that stays when this one has gone, to keep what it holds until another
// process ends. PORTABLE: no process can be watched, and start_companion() answers ENOSYS.
#ifndef ATMOST_OS_KEEPER_H
#define ATMOST_OS_KEEPER_H

#include <cstddef>
#include <cstdint>

#include "core/text.h"
#include "core/time.h"
#include "fd.h"

namespace atmost::os {

// One end of the line between a process and its companion. Move-only; closing it is how either
// learns that the other has gone. Descriptors are close-on-exec and none of 0, 1, 2.
class Companion {
 public:
  // Forks. 0 in both processes, or an errno value. The companion is a copy of this process with all
  // its descriptors, its terminal and its signals. REQUIRES: single-threaded.
  int start();
  bool is_companion() const { return starter_ != 0; }
  std::int64_t companion() const { return pid_; }  // for the starter: its number

  // To the other side: all bytes or false, when nobody is there any more (no SIGPIPE is raised).
  bool tell(const void* from, std::size_t size) const;
  // From the other side: all bytes or false. Blocks.
  bool hear(void* to, std::size_t size) const;

  // For the starter: blocks until the companion has told something or has ended (`heard`: hear()
  // will not block), or the process behind `handle` (ProcessHandle::descriptor) has ended.
  enum class First : std::uint8_t { heard, process_ended };
  First which_first(int handle) const;
  // For the starter: SIGKILL, and waits until it is gone.
  void kill_and_wait();

  // For the companion: from now on it dies (SIGKILL) with the process that started it; from now on
  // it does not.
  void die_with_starter();
  void stand_alone();
  // For the companion: a session of its own without a terminal, the root as its directory, and no
  // descriptor but those of `keep`: neither a standard stream nor this line.
  void settle(const int* keep, unsigned count);

 private:
  std::int64_t starter_ = 0;
  std::int64_t pid_ = 0;
  Fd in_;
  Fd out_;
};

// A line by which a shell can ask this process for something without starting a process of its own:
// it opens /proc/PID/fd/kAnswer to read and /proc/PID/fd/kAsk to read and write (of a pipe of which
// one is a reader no SIGPIPE comes), writes "LETTER NAME PID\n", and reads a line: yes; or the end
// of the stream: no, or the process is gone. Descriptors are close-on-exec. One asker at a time. As
// long as an answer lies there unread and its asker has it open, it may still be read.
class Bell {
 public:
  static constexpr int kAsk = 100;
  static constexpr int kAnswer = 101;
  static constexpr int kAskStaysOpen = 102;  // the same pipe as kAsk

  // Makes the pipes and a name. Children inherit all. 0 or an errno value. What was open at the
  // three descriptors is closed.
  int hang();
  bool hangs() const { return !name_.empty(); }
  // "NAME PID": of the process that is to be asked. No other bell on this machine has it.
  Text<63> address(std::int64_t pid) const;

  // The letter, from who knew the address; 0 when there is none. Never blocks.
  char asked() const;
  void accept();
  bool decline();  // false: this process has to end, that is an answer too
  bool unread() const;

 private:
  friend class Watchman;
  Text<15> name_;
  bool answered_ = false;  // and the asker was not seen to have gone since
};

// Appends to a file that exists, magic links as /dev/stdin included: 0 or an errno value.
int append_to(const char* path, const void* from, std::size_t size);

// Why watch() came back: the process has ended; somebody wants us to let go (SIGTERM, SIGINT,
// SIGHUP); it is time; the bell was rung; who rang has gone without reading the answer.
enum class Watched : std::uint8_t { ended, told, time_up, asked, unheard };

// While alive every signal is held back but those that watch() lets through, which end nothing by
// themselves. Process-wide, for the rest of the process's life. Blocks until one of the five; time
// on the boot clock also passes while the machine is suspended, and continues us when we were
// stopped.
class Watchman {
 public:
  Watchman();
  void set_deadline(std::int64_t boot_ns);  // kForever: none, as at first
  // `bell` may be null.
  Watched watch(int handle, Bell* bell);

 private:
  std::int64_t deadline_ns_ = Duration::kForever;
  void* timer_ = nullptr;
  bool has_timer_ = false;
  bool timed_ = false;
};

// The marks by which processes are found whose parents have gone: a variable in the environment
// they were started with. Its value is a list of process ids with colons between.

// Whether the environment that `pid` was started with has `pid_in_mark` in the list of variable
// `name`. False as well when that cannot be seen: another user's process, one that has overwritten
// its environment, no /proc.
bool is_marked(std::int64_t pid, const char* name, std::int64_t pid_in_mark);
// The value of variable `name` in that environment. False when there is none or it cannot be seen,
// as above.
bool started_with(std::int64_t pid, const char* name, PathText& to);
// Makes this process's own environment, as others see it, one without that variable.
void hide_mark(const char* name);

}  // namespace atmost::os

#endif
