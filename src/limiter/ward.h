// The side that a warden watches over (core/warden.h): this process, if somebody watches over it.
#ifndef ATMOST_LIMITER_WARD_H
#define ATMOST_LIMITER_WARD_H

#include <cstdint>

#include "core/request.h"
#include "os/warden_line.h"

namespace atmost::limiter {

// What the warden tells its ward of both: "PARENT:READER:WRITER:LIFE"; or of who stands above it
// and does no more than pass on: "PARENT". Not for the command.
inline constexpr char kWardenVariable[] = "ATMOST_WARDEN";

struct Ward {
  std::int64_t warden = 0;       // the process above us; 0: none
  bool may_lose_warden = false;  // the command goes on without it
  os::WardenLine line;
};

// One for the process.
Ward& ward();

// The warden is told what the lease is called under which the request's locks are held or waited
// for, if that is another one than before.
void tell_lease(const Request& request);

}  // namespace atmost::limiter

#endif
