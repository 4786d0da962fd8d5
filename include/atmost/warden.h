// Processes above a supervisor. In a store of many machines a slot is free when its lease ends, whatever still runs: so
// should the supervisor be killed, somebody has to stop all that its command has started.
#ifndef ATMOST_WARDEN_H
#define ATMOST_WARDEN_H

#include "atmost/result.h"

namespace atmost {

// For `killed` to say.
inline constexpr char kSupervisorKilled[] =
    "the supervisor was killed: its command is stopped, with all that it started; the lock is free when its "
    "lease ends";

// Starts argv[0], a path, as its child with this process's environment, passes signals on to it, stops and continues
// with it, and ends as it ended. Should it be killed while it has a command running, everything below is stopped at
// once: KILL after CONT, INT and TERM without a pause; `killed` is called first. Should this process be killed, the
// kernel sends the child SIGTERM, and it stops its command.
// Returns only if there is no such program: Error::sys says why. Where a process cannot adopt orphans (PORTABLE), becomes
// the program instead. REQUIRES: single-threaded.
Error warden_program(char* const* argv, void (*killed)());

// Where this process has children that it did not start (of a shell that became it with exec), what descends from its
// command could not be told from those. Then it starts this very program below itself with the same arguments, passes
// signals on to it, stops and continues with it, and ends as it ended; should it be killed, that one goes on. Returns if
// there are none, or if it cannot (no /proc, no process to be had, PORTABLE). REQUIRES: single-threaded.
void stand_apart(char* const* argv);

// In a ward, first of all: finds its warden. Ends this process as SIGTERM would when that has died already.
void accept_warden();

}  // namespace atmost

#endif
