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

}  // namespace atmost::os

#endif
