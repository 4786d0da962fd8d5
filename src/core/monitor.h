// Processes above a supervisor. In a store of many machines a slot is free when its lease ends,
// whatever still runs: so should the supervisor be killed, somebody has to stop all that its
// command has started.
#ifndef ATMOST_MONITOR_H
#define ATMOST_MONITOR_H

#include "core/result.h"

namespace atmost {

// For `killed` to say.
inline constexpr char kSupervisorKilled[] =
    "the supervisor was killed: its command is stopped, with all that it started; then its lease "
    "is ended";

// What is done should the child be killed.
struct Aftermath {
  void (*killed)() = nullptr;  // called first
  // A program, argv[0] a path, to which the name of the child's lease is added as the last
  // argument: ends that lease. Started once nothing is left of the command, if the child had a
  // lease. Null: the lease ends by itself.
  char* const* end_lease = nullptr;
};

// Starts argv[0], a path, as its child with this process's environment, passes signals on to it,
// stops and continues with it, and ends as it ended. Should it be killed while it has a command
// running, everything below is stopped at once: KILL after CONT, INT and TERM without a pause; then
// its lease is ended, as it is if the child was killed while it waited for one. The child's end
// continues this process if that is stopped. Should this process be killed, the kernel sends the
// child SIGTERM, and it stops its command. Blocks, after a child that was killed, until that lease
// is ended. Returns only if there is no such program: Error::sys says why. Where a process cannot
// adopt orphans (PORTABLE), becomes the program instead. REQUIRES: single-threaded.
Error monitor_program(char* const* argv, const Aftermath& aftermath);

// Where this process has children that it did not start (of a shell that became it with exec), what
// descends from its command could not be told from those. Then it starts this very program below
// itself with the same arguments, passes signals on to it, stops and continues with it, and ends as
// it ended; should it be killed, that one goes on. Returns if there are none, or if it cannot (no
// /proc, no process to be had, PORTABLE). REQUIRES: single-threaded.
void reexec_in_child(char* const* argv);

// In a monitored process, first of all: finds its monitor. Ends this process as SIGTERM would when
// that has died already.
void attach_to_monitor();

}  // namespace atmost

#endif
