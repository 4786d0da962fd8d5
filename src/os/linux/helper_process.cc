#include "../helper_process.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "../calls.h"
#include "../clock.h"
#include "../file.h"
#include "../signals.h"
#include "../spawn.h"
#include "../terminal.h"

namespace atmost::os {
int HelperProcess::start() {
  Fd child_in;
  Fd child_out;
  int error = open_pipe(child_in, out_);
  if (error == 0) error = open_pipe(in_, child_out);
  if (error != 0) return error;
  const pid_t parent = calls.getpid();
  sigset_t ending, before;
  sigemptyset(&ending);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) sigaddset(&ending, signal);
  calls.sigprocmask(SIG_BLOCK, &ending, &before);
  const pid_t pid = calls.fork();
  error = pid < 0 ? errno : 0;
  if (pid != 0) calls.sigprocmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return error;
  if (pid > 0) {
    pid_ = pid;
    return 0;
  }
  starter_ = parent;
  in_ = static_cast<Fd&&>(child_in);
  out_ = static_cast<Fd&&>(child_out);
  return 0;
}

bool HelperProcess::send(const void* from, std::size_t size) const {
  return write_stream(out_.get(), from, size) == 0;
}

bool HelperProcess::receive(void* to, std::size_t size) const {
  char* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = calls.read(in_.get(), at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

HelperProcess::First HelperProcess::which_first(int handle) const {
  struct pollfd either[] = {{in_.get(), POLLIN, 0}, {handle, POLLIN, 0}};
  while (calls.poll(either, 2, -1) < 0 && errno == EINTR) {
  }
  return either[0].revents == 0 && either[1].revents != 0 ? First::process_ended : First::received;
}

void HelperProcess::kill_and_wait() {
  calls.kill(static_cast<pid_t>(pid_), SIGKILL);
  int status;
  struct rusage used;
  while (calls.wait4(static_cast<pid_t>(pid_), &status, 0, &used) < 0 && errno == EINTR) {
  }
}

void HelperProcess::die_with_starter() {
  calls.die_with_parent(SIGKILL);
  if (calls.getppid() != starter_) exit_now(0);  // the starter died before this call
}

void HelperProcess::stand_alone() { calls.die_with_parent(0); }

void HelperProcess::settle(const int* keep, unsigned count) {
  calls.setsid();
  while (take_terminal_signal() != 0) {  // it was for the starter's process group
  }
  (void)calls.chdir("/");  // the root cannot be unmounted anyway
  in_.reset();
  out_.reset();
  close_all_but(keep, count, 0);
}

}  // namespace atmost::os
