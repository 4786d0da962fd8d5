// The side that a warden watches over (core/warden.h): this process, if somebody watches over it.
#ifndef ATMOST_LIMITER_WARD_H
#define ATMOST_LIMITER_WARD_H

#include <cstdint>

#include "core/session.h"
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

// Tells the warden the name of the lease that the session has now, if that is another one than
// before.
inline void tell_lease(const Session& session) { ward().line.say_lease(session.lease_name()); }

}  // namespace atmost::limiter

#endif
