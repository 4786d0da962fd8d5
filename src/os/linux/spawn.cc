#include "../spawn.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "../calls.h"
#include "../program.h"
#include "../signals.h"

namespace atmost::os {

const bool kAdoptsOrphans = true;

namespace {

struct ExecJob {
  const Program* program;
  volatile int error;  // written by the child in our memory
};

int child_main(void* argument) {
  ExecJob* job = static_cast<ExecJob*>(argument);
  if (!job->program->signals_held) hand_back_signals();
  if (job->program->signal_at_our_death != 0)
    calls.die_with_parent(job->program->signal_at_our_death);
  job->error = execute(*job->program);
  exit_now(127);
}

}  // namespace

Started spawn(const Program& program) {
  ExecJob job = {&program, 0};
  Started started;
  const pid_t pid = calls.start(child_main, &job);
  if (pid < 0) {
    started.fork_error = errno;
    return started;
  }
  clean_up_after_execute();
  started.exec_error = job.error;
  if (started.exec_error == 0) {
    started.pid = pid;
  } else {
    struct rusage used;
    int status;
    while (calls.wait4(pid, &status, 0, &used) < 0 && errno == EINTR) {
    }
  }
  return started;
}

}  // namespace atmost::os
