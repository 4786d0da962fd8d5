// The processes around the supervisor of a run that ends with its caller (core/monitor.h).
#ifndef ATMOST_LIMITER_COMPANY_H
#define ATMOST_LIMITER_COMPANY_H

#include <cstdint>

#include "core/outcome.h"
#include "os/fd.h"
#include "os/process.h"

namespace atmost::limiter {

// The variable with the things that the monitor inherits from the front process:
// "FRONT:CALLER:STATUS", its own number and two descriptors. The supervisor does not get it.
inline constexpr char kCompanyVariable[] = "ATMOST_COMPANY";

// The state of the monitor of such a run.
struct Company {
  std::int64_t front = 0;         // 0: this process is not such a monitor
  os::Fd caller;                  // a process handle
  os::ProcessHandle front_ended;  // not open: there are no more handles here
  os::Fd status;                  // the front process reads the supervisor's end here

  // Tells the front process, once, and lets go of the descriptors that the run has used.
  void report(const ExitStatus& ended);
};

// The only one of this process.
Company& company();

}  // namespace atmost::limiter

#endif
