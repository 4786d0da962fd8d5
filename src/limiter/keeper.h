// The tiny process that keeps a lock for another one, from its admission to its end.
#ifndef ATMOST_LIMITER_KEEPER_H
#define ATMOST_LIMITER_KEEPER_H

#include "atmost/limiter.h"
#include "os/keeper.h"
#include "os/process.h"

namespace atmost::limiter {

// The variable by which descendants of a script are known after it has ended: process ids with colons between.
inline constexpr char kMark[] = "ATMOST_HOLD_MARK";

// The life of the companion that hold_for() started: asks for the lock, tells the outcome, waits for the answer that
// somebody was there to hear it, and keeps the lock until `script`, who is behind request.kept_for, has ended; with
// Until::tree, until no process is left that carries its mark; or until it is told to let go, or keep_at_most is over.
// Paths in the request have to be absolute.
[[noreturn]] void keep(const Request& request, const os::ProcessHandle& script, os::Companion& starter,
                       Observer* observer);

}  // namespace atmost::limiter

#endif
