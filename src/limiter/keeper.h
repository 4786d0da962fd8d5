// The small process that keeps a lock for another one, from its admission to its end.
#ifndef ATMOST_LIMITER_KEEPER_H
#define ATMOST_LIMITER_KEEPER_H

#include "core/limiter.h"
#include "os/helper_process.h"
#include "os/process.h"
#include "os/request_pipe.h"

namespace atmost::limiter {

// The variable that identifies descendants of a script after it has ended: process ids separated by
// colons. Forked ones that have not started a program do not have it; they are identified by a
// descriptor that the script opened (os::has_open()).
inline constexpr char kMark[] = "ATMOST_HOLD_MARK";

// The requests that a keeper reads from its request pipe.
inline constexpr char kLetGo = 'u';
inline constexpr char kTakeAgain = 'l';

// The arguments of a keeper. Paths in the request have to be absolute.
struct Keeping {
  Store& store;
  const Request& request;
  const os::ProcessHandle& script;  // the process behind request.kept_for
  os::RequestPipe& requests;
};

// Runs the helper that hold_for() started, which asks for the lock and reports the outcome; it goes
// on only if the starter received that. It keeps the lock until the script has ended (with
// Until::tree, until no process with its mark is left), until it is asked to release the lock, or
// until keep_at_most is over. After a request through the pipe it stays for a while. If it is then
// asked to take the lock again, it does so if it can at once.
[[noreturn]] void take_and_keep(const Keeping& keeping, os::HelperProcess& starter,
                                Observer* observer);

}  // namespace atmost::limiter

#endif
