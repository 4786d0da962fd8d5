#include "terminal.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "calls.h"
#include "file.h"
#include "process.h"

namespace atmost::os {
namespace {

class Neighbours final : public ProcessVisitor {
 public:
  bool process(std::int64_t pid, const ProcessFacts& facts) override {
    found_ = facts.session == session_ && pid != self_ && facts.parent != self_ && !facts.ended() &&
             !ours_.have(pid);
    return !found_;
  }
  bool found() const { return found_; }

 private:
  const Ancestors ours_;
  const std::int64_t self_ = calls.getpid();
  const std::int64_t session_ = calls.getsid(0);
  bool found_ = false;
};

constexpr int kEnding[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
constexpr char kErase[] = "\r\x1b[K";
volatile sig_atomic_t line_kept = 0;

// The signal's action is the default one again, and ends the process.
void erase_and_end(int signal) {
  erase_kept_line();
  calls.kill(calls.getpid(), signal);
}

}  // namespace

bool is_terminal(int fd) { return calls.isatty(fd) == 1; }

bool in_foreground(int fd) { return calls.tcgetpgrp(fd) == calls.getpgid(0); }

bool alone_on_terminal() {
  Neighbours neighbours;
  return each_process(neighbours) == 0 && !neighbours.found();
}

void erase_kept_line() {
  if (line_kept != 0) (void)!calls.write(2, kErase, sizeof kErase - 1);
  line_kept = 0;
}

void keep_line_erasable() {
  line_kept = 1;
  struct sigaction erasing = {};
  erasing.sa_handler = erase_and_end;
  erasing.sa_flags = static_cast<int>(SA_RESETHAND) | SA_NODEFER;
  for (const int signal : kEnding) {
    struct sigaction found;
    if (calls.sigaction(signal, nullptr, &found) == 0 && found.sa_handler == SIG_DFL)
      calls.sigaction(signal, &erasing, nullptr);
  }
}

void forget_line() {
  line_kept = 0;
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  for (const int signal : kEnding) {
    struct sigaction found;
    if (calls.sigaction(signal, nullptr, &found) == 0 && found.sa_handler == erase_and_end)
      calls.sigaction(signal, &plain, nullptr);
  }
}

bool terminal_size(int fd, unsigned& columns, unsigned& lines) {
  struct winsize size = {};
  if (calls.ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return false;
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
  if (sigismember(&before, SIGPIPE) == 1) calls.sigpending(&pending);
  const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  const int error = write_all(fd, from, size);
  sigemptyset(&pending);
  if (error == EPIPE) calls.sigpending(&pending);
  // If it is pending now, it is ours, and taking it does not block.
  if (!was_pending && sigismember(&pending, SIGPIPE) == 1) {
    int taken = 0;
    calls.sigwait(&pipe_only, &taken);
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
