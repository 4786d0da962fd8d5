// Changes of files and of names in directories, as inotify(7) reports them.
#ifndef ATMOST_OS_WATCH_H
#define ATMOST_OS_WATCH_H

#include <cstdint>
#include <span>
#include <string_view>

#include "file.h"
#include "process.h"

namespace atmost::os {

// Reports when another process wrote to one of a few files or closed one.

enum class Noticed {
  nothing,  // the time is over
  written,  // a write was seen: a slot was freed before it
  closed,  // a descriptor was closed: its locks are dropped shortly after (not before) this arrives
  moved,   // the file was deleted or renamed
  interrupted,  // a signal handler ran
};

// Events are hints and may be lost; waiters also look from time to time. Without inotify (none
// left, not Linux) wait() merely sleeps, at most kBlind at a time.
class Watch {
 public:
  static constexpr std::int64_t kBlindNs = 50'000'000;

  // Begins to watch one more file. Events from here on are seen by wait(), even those that come
  // before it is called.
  void start(const char* path);
  // Blocks at most `span_ns`. Several events at once are one answer, the most urgent.
  Noticed wait(std::int64_t span_ns);
  // Stops watching, at once. The inotify descriptor stays open for the next start(): closing one
  // waits for a grace period of the kernel, 8 to 20 ms (measured, Linux 6.18), unless it has
  // watched nothing for a while.
  void rest();
  // In a program that may close the descriptor, and open something else under its number, between
  // rest() and stop(): that is not closed. Call it before the first start().
  void set_exposed() { exposed_ = true; }
  void stop() {
    if (exposed_ && inotify_.open()) give_up_if_closed();
    inotify_.reset();
    started_ = false;
    blind_ = false;
    watch_count_ = 0;
  }
  bool started() const { return started_; }
  // True if it watches, rather than merely sleeps.
  bool sees() const { return started_ && !blind_ && inotify_.open(); }

 private:
  static constexpr int kMost = 16;
  void give_up_if_closed();
  Fd inotify_;
  int watches_[kMost] = {};
  int watch_count_ = 0;
  bool started_ = false;
  bool blind_ = false;
  bool exposed_ = false;
};

// Reports when a name in a directory appears or disappears, or a process ends.

enum class Change {
  nothing,      // the time is over
  name,         // one of the names was removed, moved away, or replaced
  process,      // one of the processes ended
  interrupted,  // a signal handler ran
};

// Events are hints and may be lost; waiters also look from time to time. Without inotify (none
// left, not Linux) wait() merely sleeps, at most kBlindNs at a time.
class NameWatch {
 public:
  static constexpr std::int64_t kBlindNs = 50'000'000;
  static constexpr std::size_t kMostProcesses = 4;

  // Events from here on are seen by wait(), even those that come before it is called.
  void start(const char* directory);
  bool started() const { return started_; }
  void stop() {
    inotify_.reset();
    started_ = false;
  }
  // Blocks at most `span_ns`. Events of other names in the directory do not end the wait. At most
  // kMostProcesses; those whose handle is not open are left out.
  Change wait(std::int64_t span_ns, std::span<const std::string_view> names,
              std::span<const ProcessHandle* const> processes);

 private:
  Fd inotify_;
  bool started_ = false;
};

}  // namespace atmost::os

#endif
