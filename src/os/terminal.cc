#include "terminal.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "calls.h"
#include "file.h"

namespace atmost::os {

bool is_terminal(int fd) { return isatty(fd) == 1; }

bool in_foreground(int fd) { return tcgetpgrp(fd) == getpgrp(); }

bool terminal_size(int fd, unsigned& columns, unsigned& lines) {
  struct winsize size = {};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return false;
  columns = size.ws_col;
  lines = size.ws_row;
  return true;
}

int write_stream(int fd, const void* from, std::size_t size) {
  sigset_t pipe_only;
  sigset_t before;
  sigset_t pending;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  if (calls.sigprocmask(SIG_BLOCK, &pipe_only, &before) != 0) return errno;
  // A SIGPIPE that was pending before is not ours; it can only be pending if it was blocked.
  sigemptyset(&pending);
  if (sigismember(&before, SIGPIPE) == 1) sigpending(&pending);
  const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  const int error = write_all(fd, from, size);
  sigemptyset(&pending);
  if (error == EPIPE) sigpending(&pending);
  // If it is pending now, it is ours, and taking it does not block.
  if (!was_pending && sigismember(&pending, SIGPIPE) == 1) {
    int taken = 0;
    sigwait(&pipe_only, &taken);
  }
  calls.sigprocmask(SIG_SETMASK, &before, nullptr);
  return error;
}

int check_writable(int fd) {
  const int flags = calls.control(fd, F_GETFL, 0);
  if (flags < 0) return errno;
  return (flags & O_ACCMODE) == O_RDONLY ? EBADF : 0;
}

int make_private(int fd) { return calls.control(fd, F_SETFD, FD_CLOEXEC) < 0 ? errno : 0; }

}  // namespace atmost::os
