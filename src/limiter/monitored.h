// The monitored side (core/monitor.h): this process, if there is a monitor above it.
#ifndef ATMOST_LIMITER_MONITORED_H
#define ATMOST_LIMITER_MONITORED_H

#include <cstdint>

#include "core/session.h"
#include "os/monitor_line.h"

namespace atmost::limiter {

// What the monitor tells the monitored process of both: "PARENT:READER:WRITER:LIFE"; or of who
// stands above it and does no more than pass on: "PARENT". Not for the command.
inline constexpr char kMonitorVariable[] = "ATMOST_MONITOR";

struct Monitored {
  std::int64_t monitor = 0;       // the process above us; 0: none
  bool may_lose_monitor = false;  // the command goes on without it
  os::MonitorLine line;
};

// The only one of this process.
Monitored& monitored();

// Tells the monitor the name of the lease that the session has now, if that is another one than
// before.
inline void tell_lease(const Session& session) { monitored().line.say_lease(session.lease_name()); }

}  // namespace atmost::limiter

#endif
