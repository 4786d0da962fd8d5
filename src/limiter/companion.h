// The processes of ours around a supervisor (core/monitor.h): the one above this process, and the
// start of one below it.
#ifndef ATMOST_LIMITER_COMPANION_H
#define ATMOST_LIMITER_COMPANION_H

#include <cstdint>
#include <span>

#include "core/outcome.h"
#include "core/session.h"
#include "os/monitor.h"
#include "run/run.h"

namespace atmost::limiter {

// The variable by which a process of ours names itself, and the descriptors that it shares, to the
// one that it starts: numbers, separated by colons. No command gets it.
//   PARENT                     a process that only passes signals on
//   PARENT:CALLER:STATUS       a front process, to the monitor
//   PARENT:READER:WRITER:LIFE  a monitor, to the monitored process: its line; ":1" below a front
//   process
inline constexpr std::string_view kMonitorName = "ATMOST_MONITOR=";

// This process, if there is a monitor above it.
struct Monitored {
  bool reports = false;           // the monitor reads from the line
  std::int64_t monitor = 0;       // the process above us; 0: none
  bool may_lose_monitor = false;  // the command goes on without it
  bool has_front = false;         // the monitor has a front process above it
  bool childless = false;         // this process is known to have no children
  os::MonitorLine line;
};
extern Monitored monitored;

// The front process above this one, which is its monitor.
struct FrontProcess {
  std::int64_t pid = 0;  // 0: there is none
  // Descriptors, open until the process ends.
  int caller = -1;  // a process handle
  int ended = -1;   // another one, of the front process; -1: there are no more handles here
  int status = -1;  // where it reads how the supervisor ended; -1: it has read

  // Notifies it, once, and lets go of the descriptors that the run has used.
  void report(const ExitStatus& end);
};
extern FrontProcess front;

// The content of the variable.
struct FromAbove {
  std::int64_t parent = -1;  // -1: the variable is missing or malformed
  int numbers[4] = {-1, -1, -1, -1};
  unsigned count = 0;  // of `numbers`
};
FromAbove from_above();

// Starts the program at `path` as a child with the words of `argv` from argv[1] on and `passed`,
// which it inherits, in the variable, and does the rest of run::supervise(): `task` has everything
// else.
run::RunReport supervise_companion(const char* path, char* const* argv, std::span<const int> passed,
                                   run::Task& task, run::SupervisionObserver& observer);

// Reports the name of the session's lease to the monitor, if it has changed.
inline void report_lease(const Session& session) {
  if (monitored.reports) monitored.line.say_lease(session.lease_name());
}

}  // namespace atmost::limiter

#endif
