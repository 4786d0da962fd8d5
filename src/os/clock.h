// The two clocks.
#ifndef ATMOST_OS_CLOCK_H
#define ATMOST_OS_CLOCK_H

#include <cstdint>

#include "core/time.h"

namespace atmost::os {

Instant now();
std::int64_t boot_ns();
// Blocks until the boot clock reaches `boot_ns` (true), or a signal handler ran (false).
bool sleep_until(std::int64_t boot_ns);

// From now on the clocks are read by the C library, which may need no system call for it. For a
// process that reads them often: to find out how costs more than a few system calls. The caller
// makes sure that other threads see it before they read a clock.
void read_clocks_in_process();

}  // namespace atmost::os

#endif
