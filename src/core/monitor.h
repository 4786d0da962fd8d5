// Processes above a supervisor. In a store of many machines a slot is free when its lease ends,
// even if processes still run. So if the supervisor is killed, its monitor must stop everything
// that the command has started.
#ifndef ATMOST_MONITOR_H
#define ATMOST_MONITOR_H

#include "core/result.h"

namespace atmost {

// The message for `killed` to print.
inline constexpr char kSupervisorKilled[] =
    "the supervisor was killed: its command is stopped, with all that it started; then its lease "
    "is ended";

// What is done if the child is killed.
struct Aftermath {
  void (*killed)() = nullptr;  // called first
  // A program, argv[0] a path, to which the name of the child's lease is added as the last
  // argument: ends that lease. Started once nothing is left of the command, if the child had a
  // lease. Null: the lease ends by itself.
  char* const* end_lease = nullptr;
};

// Starts argv[0], a path, as a child with this process's environment, passes signals on to it,
// stops and continues with it, and ends as it ended. If the child is killed while its command runs,
// all processes below are stopped at once: CONT, INT, TERM and KILL without a pause. Then the
// child's lease is ended; this also happens if the child was killed while it waited for admission.
// If this process is stopped, the child's end continues it. If this process is killed, the kernel
// sends the child SIGTERM, and the child stops its command. After the child was killed, blocks
// until its lease is ended. Returns only if there is no such program: Error::sys says why. Where a
// process cannot adopt orphans (PORTABLE), becomes the program instead. REQUIRES: single-threaded.
Error monitor_program(char* const* argv, const Aftermath& aftermath);

// A process that a shell became with exec may have children that it did not start; descendants of
// its command could not be distinguished from them. In that case, starts this same program as a
// child with the same arguments, passes signals on to it, stops and continues with it, and ends as
// it ended; if this process is killed, the child goes on. Returns if there are no such children, or
// if no child can be started (no /proc, fork fails, PORTABLE). REQUIRES: single-threaded.
void reexec_in_child(char* const* argv);

// The first call of a monitored process: finds its monitor. If the monitor has died already, ends
// this process as SIGTERM would.
void attach_to_monitor();

}  // namespace atmost

#endif
