// The processes around the supervisor of a run that ends with its caller (core/monitor.h).
#ifndef ATMOST_LIMITER_COMPANY_H
#define ATMOST_LIMITER_COMPANY_H

#include <cstdint>

#include "core/outcome.h"

namespace atmost::limiter {

// The variable with the things that the monitor inherits from the front process:
// "FRONT:CALLER:STATUS", its own number and two descriptors. The supervisor does not get it.
inline constexpr char kCompanyVariable[] = "ATMOST_COMPANY";

// The state of the monitor of such a run.
struct Company {
  std::int64_t front = 0;  // 0: this process is not such a monitor
  // Descriptors, open until the process ends.
  int caller = -1;       // a process handle
  int front_ended = -1;  // another one; -1: there are no more handles here
  int status = -1;       // where the front process reads how the supervisor ended; -1: it has read

  // Tells the front process, once, and lets go of the descriptors that the run has used.
  void report(const ExitStatus& ended);
};

// The state of this process.
extern Company company;

}  // namespace atmost::limiter

#endif
