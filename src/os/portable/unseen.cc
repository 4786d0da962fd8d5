#include "../unseen.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "../calls.h"
#include "../spawn.h"

namespace atmost::os {

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
  if (ended < 0) return 0;  // SIGCHLD is ignored, so that nobody knows
  return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

}  // namespace atmost::os
