#include "status.h"

#include <sys/wait.h>

namespace atmost::run {

Change change_of(int wait_status) {
  if (WIFSTOPPED(wait_status)) return Change::stopped;
  if (WIFCONTINUED(wait_status)) return Change::continued;
  return Change::ended;
}

ExitStatus exit_status(int wait_status) {
  ExitStatus status;
  if (WIFSIGNALED(wait_status)) {
    status.signal = WTERMSIG(wait_status);
    status.core_dumped = WCOREDUMP(wait_status);
  } else {
    status.code = WEXITSTATUS(wait_status);
  }
  return status;
}

int stop_signal(int wait_status) { return WSTOPSIG(wait_status); }

}  // namespace atmost::run
