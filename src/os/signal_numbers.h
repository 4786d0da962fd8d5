// Signals by name, for directories whose code may not include the system's headers.
#ifndef ATMOST_OS_SIGNAL_NUMBERS_H
#define ATMOST_OS_SIGNAL_NUMBERS_H

#include <signal.h>

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

}  // namespace atmost::os

#endif
