// Reports when a name in a directory appears or disappears, or a process ends.
#ifndef ATMOST_OS_NAME_WATCH_H
#define ATMOST_OS_NAME_WATCH_H

#include <cstdint>
#include <span>
#include <string_view>

#include "fd.h"
#include "process.h"

namespace atmost::os {

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
