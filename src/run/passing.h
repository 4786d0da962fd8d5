// The signals for the supervisor that are passed on to the command. Every signal that can be
// blocked arrives; none of them ends the supervisor itself.
#ifndef ATMOST_RUN_PASSING_H
#define ATMOST_RUN_PASSING_H

#include <cstdint>

namespace atmost::run {

enum class Passing : std::uint8_t {
  always,
  // Passed on, but not when the kernel sent it for the terminal and the command is in our process
  // group: then it went to the whole group and the command has it already. (A command that left the
  // group, as timeout(1) does, has not.)
  not_twice,
  stops,    // as not_twice; and when the command stops, so do we
  resumes,  // to a command that is stopped, or that was not continued together with us
  ours,     // never passed on
};

// | signal                                      | passing   |
// |---------------------------------------------|-----------|
// | HUP INT QUIT WINCH                          | not_twice |
// | TSTP TTIN TTOU                              | stops     |
// | CONT                                        | resumes   |
// | CHLD                                        | ours      |
// | all others: TERM USR1 USR2 ALRM PIPE XCPU … | always    |
//
// An alarm that was set before this program started (alarm(2) persists across exec) is meant for
// the command: it is among "others". Real-time signals are passed on without their value. KILL and
// STOP cannot be seen.
Passing passing_of(int signal);

// True if it is a signal that people and service managers use to end a program: HUP, INT, QUIT,
// TERM.
bool asks_to_end(int signal);

// The signal that stops us when `signal` stopped the command: the same one; for SIGSTOP, it is
// SIGTSTP, which the kernel ignores where no shell could continue us.
int own_stop_for(int signal);

}  // namespace atmost::run

#endif
