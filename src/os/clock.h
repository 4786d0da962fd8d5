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

// From now on the C library reads the clocks, perhaps without a system call. For a process that
// reads them often: the library's preparation costs more than a few system calls. The caller makes
// sure that other threads see the change before they read a clock.
void read_clocks_in_process();

}  // namespace atmost::os

#endif
