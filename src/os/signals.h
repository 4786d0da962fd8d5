// Signals by name, for directories whose code may not include the system's headers.
#ifndef ATMOST_OS_SIGNALS_H
#define ATMOST_OS_SIGNALS_H

#include <signal.h>

#include <cstdint>

namespace atmost::os {

inline constexpr int kInterrupt = SIGINT;
inline constexpr int kTerminate = SIGTERM;
inline constexpr int kKill = SIGKILL;
inline constexpr int kContinue = SIGCONT;

// The signal by which a command reports to its supervisor that it works; it does nothing elsewhere.
inline constexpr int kBeat = SIGURG;

// True if the signal, at its default, stops a process from the terminal (stops()), or does nothing.
constexpr bool stops(int signal) {
  return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}
constexpr bool does_nothing(int signal) {
  return signal == SIGCONT || signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH;
}

// Signals that are read one by one: no handler of ours runs, so nothing races with one.

// The source of a signal. `system`: the kernel itself: the terminal's keys and its hangup (which it
// sends to a whole process group), an expired alarm, a resource limit, the end of a child.
enum class Source : std::uint8_t { process, system, timer };

// The value that a taker sends with its signals (Arrival::relayed_for): they are meant for one
// hold, and not for what its supervisor may do after it.
inline constexpr int kFromTaker = -2;

struct Arrival {
  int signal = 0;  // 0: none; the time came
  Source source = Source::system;
  // Source::process: its pid, 0 when it is not visible from here. SIGCHLD: the child that has
  // ended; 0: none, or unknown.
  std::int64_t sender = 0;
  // The argument of relay_signal(): a number that the sender chose, to be believed only from our
  // own parent, or to be harmless.
  std::int64_t relayed_for = 0;
  // Not a signal: which of the watched descriptors became readable, counted from 1; 0: none.
  unsigned ready = 0;
};

// While alive, every signal that can be blocked is blocked and waits for next(); SIGCHLD has its
// default effect, so that children can be waited for even when our parent ignored it. Genuine
// faults of ours still end us. The destructor puts mask and dispositions back as they were; signals
// that are then pending arrive as they would have. Process-wide: one at a time. REQUIRES: a
// single-threaded process (other threads would take the signals). In a PORTABLE build faults
// (SIGSEGV and its like) are not held back, and handlers that only take notes are in place, because
// POSIX lets blocked signals with no handler be lost. Work that has to be finished whatever signal
// arrives is done while it is alive.
class SignalGate {
 public:
  SignalGate();
  SignalGate(const SignalGate&) = delete;
  SignalGate& operator=(const SignalGate&) = delete;
  ~SignalGate();

  // Blocks until a signal arrives or the boot clock reaches `boot_deadline_ns` (kForever: no end).
  // The clock counts suspended time, and on Linux its end also continues us when we are stopped.
  // May return early with signal 0. Of several pending signals the lowest number comes first; equal
  // ones that arrive together are one (signal(7)).
  //
  // `soft_boot_ns`: may also return then, for work that can wait: this time does not continue a
  // stopped process, and does not count the time of a suspended machine. 0: returns at once, and
  // not for SIGCHLD. `boot_ns`: the boot clock a moment ago; 0: it is read if necessary.
  Arrival next(std::int64_t boot_deadline_ns, std::int64_t soft_boot_ns = INT64_MAX,
               std::int64_t boot_ns = 0);

  // On Linux: if we are stopped at this moment of the boot clock, the gate continues us (kForever:
  // it does not). For a process that may be stopped before its first next(), which sets another
  // time. No effect in a PORTABLE build.
  void continue_at(std::int64_t boot_ns);

  // From now on next() also returns when one of these descriptors becomes readable or hangs up; it
  // reports each once. They are borrowed until the gate ends, two at most. If the system has no
  // descriptor left to wait for signals and others at once, next() looks every 50 ms. No effect in
  // a PORTABLE build.
  void watch(const int* descriptors, unsigned count);

  // Ends what watch() and next() began: from now on signals are held, and nothing else is awaited.
  void rest();
};

// The gate of this process, which the first call makes, and which stays until release_signals(): if
// that is never called, signals wait until the process has ended.
SignalGate& hold_signals();
void release_signals();

// For a new process, between its start and exec: restores the mask and dispositions that the open
// gate found. Async-signal-safe. Without a gate nothing happens.
void hand_back_signals();

// Stops this process as `signal` (SIGTSTP, SIGTTIN, SIGTTOU) would: returns after it was continued,
// or at once when the kernel will not stop it (an orphaned process group: no shell could continue
// it). False, and nothing was done, when a SIGCONT is pending, which stopping would discard: a
// shell's, or that of the gate's timer, which would be lost with it. The kernel also discards it
// when a stop signal arrives, so it came after the last one. `with`: a child of ours that will
// continue us, and that we do not stop without; 0: there is none. REQUIRES: a gate.
bool stop_self(int signal, std::int64_t with = 0);

// Takes one pending SIGHUP, SIGINT or SIGQUIT, the signals that a terminal sends to a whole process
// group, and returns it; 0: none is pending, but a taker's. REQUIRES: they are blocked.
int take_terminal_signal();

// Ends this process by `signal`, with the default effect but no core file. Returns when that did
// not end it: process 1 of a container, or a signal that does not kill. The process that waits for
// us sees no "core dumped", even if there was one.
void die_of(int signal);

}  // namespace atmost::os

#endif
