#include "../spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "../calls.h"
#include "../file.h"
#include "../signals.h"

namespace atmost::os {

const bool kAdoptsOrphans = false;

namespace {

struct ExecJob {
  const Program* program;
  // The pipe's end, close-on-exec: if it closes unwritten, exec succeeded.
  int report_to;
};

int child_main(void* argument) {
  const ExecJob* job = static_cast<const ExecJob*>(argument);
  if (!job->program->signals_held) hand_back_signals();
  const int error = execute(*job->program);
  write_all(job->report_to, &error, sizeof error);
  exit_now(127);
}

}  // namespace

Started spawn(const Program& program) {
  Started started;
  Fd read_end;
  Fd write_end;
  started.fork_error = open_pipe(read_end, write_end);
  if (started.fork_error != 0) return started;
  ExecJob job = {&program, write_end.get()};
  const pid_t pid = calls.start(child_main, &job);
  if (pid < 0) {
    started.fork_error = errno;
    return started;
  }
  write_end.reset();
  ssize_t size;
  do {
    size = calls.read(read_end.get(), &started.exec_error, sizeof started.exec_error);
  } while (size < 0 && errno == EINTR);
  if (size != static_cast<ssize_t>(sizeof started.exec_error)) {
    started.exec_error = 0;
    started.pid = pid;
  } else {
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  return started;
}

int start_unseen(const Program& program) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  calls.thread_mask(SIG_SETMASK, &all, &before);
  const pid_t pid = calls.fork();
  const int fork_error = pid < 0 ? errno : 0;
  if (pid == 0) {
    const Started started = spawn(program);
    exit_now(started.exec_error != 0 ? started.exec_error : started.fork_error);
  }
  int status = 0;
  pid_t ended = -1;
  while (pid > 0 && (ended = waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
  }
  calls.thread_mask(SIG_SETMASK, &before, nullptr);
  if (fork_error != 0) return fork_error;
  if (ended < 0) return 0;  // SIGCHLD is ignored, so the exit code is lost
  return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

}  // namespace atmost::os
