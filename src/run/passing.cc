#include "passing.h"

#include <signal.h>

namespace atmost::run {

Passing passing_of(int signal) {
  switch (signal) {
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGWINCH:
      return Passing::not_twice;
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
      return Passing::stops;
    case SIGCONT:
      return Passing::resumes;
    case SIGCHLD:
      return Passing::ours;
    default:
      return Passing::always;
  }
}

bool asks_to_end(int signal) {
  return signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM;
}

int own_stop_for(int signal) { return signal == SIGSTOP ? SIGTSTP : signal; }

}  // namespace atmost::run
