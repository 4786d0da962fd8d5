// The tiny process that keeps a lock for another one, from its admission to its end.
#ifndef ATMOST_LIMITER_KEEPER_H
#define ATMOST_LIMITER_KEEPER_H

#include "core/limiter.h"
#include "os/helper_process.h"
#include "os/process.h"
#include "os/request_pipe.h"
#include "store/local/session.h"

namespace atmost::limiter {

// The variable by which descendants of a script are known after it has ended: process ids with
// colons between.
inline constexpr char kMark[] = "ATMOST_HOLD_MARK";

// What a keeper is asked through its bell.
inline constexpr char kLetGo = 'u';
inline constexpr char kTakeAgain = 'l';

// What a keeper starts with. Paths in the request have to be absolute.
struct Keeping {
  Store& store;
  const Request& request;
  const os::ProcessHandle& script;  // the process behind request.kept_for
  os::RequestPipe& bell;
};

// The life of the helper that hold_for() started. It keeps the lock until the script has ended;
// with Until::tree, until no process is left that carries its mark; until it is told to let go, or
// keep_at_most is over. Told by its bell, it stays for a while and takes the lock again when it is
// asked to and can do so at once.

// The helper asks for the lock, tells the outcome, and goes on when somebody was there to hear
// it.
[[noreturn]] void take_and_keep(const Keeping& keeping, os::HelperProcess& starter,
                                Observer* observer);
// The starter has the lock in `session`, and says so by one byte; a starter that ends without has
// let go.
[[noreturn]] void keep_inherited(const Keeping& keeping, local::LocalSession& session,
                                 os::HelperProcess& starter, Lease lease, const Outcome& outcome);

}  // namespace atmost::limiter

#endif
