// The monitored side (core/monitor.h): this process, if there is a monitor above it.
#ifndef ATMOST_LIMITER_MONITORED_H
#define ATMOST_LIMITER_MONITORED_H

#include <cstdint>

#include "core/session.h"
#include "os/monitor_line.h"
#include "run/run.h"

namespace atmost::limiter {

// The variable by which a monitor names itself and its line to the monitored process:
// "PARENT:READER:WRITER:LIFE", and ":1" in a company (core/monitor.h). A process above that only
// passes signals on sets it to "PARENT". The command does not get it.
inline constexpr char kMonitorVariable[] = "ATMOST_MONITOR";

// The state of this process.
struct Monitored {
  bool reports = false;           // the monitor reads from the line
  std::int64_t monitor = 0;       // the process above us; 0: none
  bool may_lose_monitor = false;  // the command goes on without it
  bool in_company = false;        // the monitor is one of a company (core/monitor.h)
  bool childless = false;         // this process is known to have no children
  os::MonitorLine line;
};

extern Monitored monitored;

// The next number of a list separated by colons, a process or a descriptor; -1: there is none.
std::int64_t take_number(std::string_view& from);

// Starts the program at `path` as a child with the words of `argv` from argv[1] on and `variable`,
// NAME=VALUE, and does the rest of run::supervise(): `task` has everything else.
run::RunReport supervise_program(const char* path, char* const* argv, const Text<80>& variable,
                                 run::Task& task, run::SupervisionObserver& observer);

// Reports the name of the session's lease to the monitor, if it has changed.
inline void tell_lease(const Session& session) {
  if (monitored.reports) monitored.line.say_lease(session.lease_name());
}

}  // namespace atmost::limiter

#endif
