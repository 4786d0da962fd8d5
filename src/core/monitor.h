// Processes above a supervisor. In a store of many machines a slot is free when its lease ends,
// even if processes still run. So if the supervisor is killed, its monitor must stop everything
// that the command has started.
#ifndef ATMOST_MONITOR_H
#define ATMOST_MONITOR_H

#include <cstdint>

#include "core/result.h"
#include "core/time.h"

namespace atmost {

// A process whose end ends a run: atmost run --die-with.
struct Caller {
  enum class Which : std::uint8_t { none, parent, process };
  Which which = Which::none;
  std::int64_t pid = 0;          // of Which::process
  std::int64_t start_ticks = 0;  // its start time, as field 22 of /proc/PID/stat; 0: not given

  bool given() const { return which != Which::none; }
};

// Three processes make such a run. The front process, which the caller started, stays in the
// caller's process group, passes signals on, and ends as the supervisor ends. Its child, the
// monitor, is in a session of its own, so that no signal to the caller's process group ends it. The
// monitor's child, the supervisor, is in the caller's process group like the front process. When
// the caller or the front process ends, the monitor notifies the supervisor, which stops the
// command with all that it started. If the supervisor is killed, the monitor stops them itself. The
// monitor ends when nothing is left of what the command started.
enum class Role : std::uint8_t { front, monitor, supervisor };

// The role of this process among them. Attaches a supervisor to its monitor, as attach_to_monitor()
// does. Ends the process, before anything begins, if it is a monitor whose front process has ended.
Role own_role();

// The front process: starts argv again as the monitor, calls `started`, and ends as the run ends.
// Returns only if it could not be started: Code::timed_out if the caller has ended already.
// REQUIRES: Role::front, single-threaded.
Error run_with_caller(char* const* argv, const Caller& caller, void (*started)());

// The message for `killed` to print.
inline constexpr char kSupervisorKilled[] =
    "the supervisor was killed: its command is stopped, with all that it started; then its lease "
    "is ended";

// The action if the child is killed.
struct Aftermath {
  void (*started)() = nullptr;  // called once the child has its arguments
  void (*killed)() = nullptr;   // called first
  // Called if something that the killed child left behind cannot be stopped.
  void (*left)(const Error& words) = nullptr;
  // A program, argv[0] a path, to which the name of the child's lease is added as the last
  // argument: ends that lease. Started once nothing is left of the command, if the child had a
  // lease. Null: the lease ends by itself.
  char* const* end_lease = nullptr;
  // For a monitor below a front process: the pause after each signal to the processes that the
  // command has left behind, and the function to call if the caller ended while the supervisor was
  // waiting for admission.
  Duration kill_grace{};
  void (*caller_ended)() = nullptr;
};

// Starts argv[0], a path, as a child with this process's environment, passes signals on to it,
// stops and continues with it, and ends as it ended. If the child is killed while its command runs,
// all processes below are stopped at once: CONT, INT, TERM and KILL without a pause. Then the
// child's lease is ended; this also happens if the child was killed while it waited for admission.
// If this process is stopped, the child's end continues it. If this process is killed, the kernel
// sends the child SIGTERM, and the child stops its command. After the child was killed, blocks
// until its lease is ended. Returns only if there is no such program; Error::sys has the reason.
// Where a process cannot adopt orphans (PORTABLE), becomes the program instead. REQUIRES:
// single-threaded.
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
