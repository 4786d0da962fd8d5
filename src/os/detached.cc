#include "detached.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "calls.h"
#include "fd.h"
#include "spawn.h"

namespace atmost::os {
namespace {

constexpr int kStreams = 3;

}  // namespace

void close_all_but(const int* keep, unsigned count, int first) {
  int next = first;
  for (;;) {
    int nearest = INT32_MAX;
    for (unsigned i = 0; i < count; ++i) {
      if (keep[i] >= next && keep[i] < nearest) nearest = keep[i];
    }
    if (nearest == INT32_MAX) break;
    if (nearest > next) calls.close_between(next, nearest - 1);
    next = nearest + 1;
  }
  calls.close_between(next, INT32_MAX);
}

int start_detached(const Program& program, bool silent) {
  const pid_t pid = calls.fork();
  if (pid < 0) return errno;
  if (pid == 0) {
    calls.setsid();
    const int nothing = calls.openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0);
    for (int stream = 0; nothing >= 0 && stream < (silent ? kStreams : 1); ++stream)
      calls.dup2(nothing, stream);
    close_all_but(program.inherit, program.inherit_count, kStreams);
    const Started started = spawn(program);
    exit_now(started.exec_error != 0 ? started.exec_error : started.fork_error);
  }
  int status = 0;
  struct rusage used;
  pid_t ended;
  do {
    ended = calls.wait4(pid, &status, 0, &used);
  } while (ended < 0 && errno == EINTR);
  if (ended < 0) return 0;  // SIGCHLD is ignored, so that nobody knows
  return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

void await_hangup(int fd, int at_most_ms) {
  struct pollfd end = {fd, POLLIN, 0};
  (void)calls.poll(&end, 1, at_most_ms);
}

int random_bytes(void* to, std::size_t size) {
  const Fd source(calls.openat(AT_FDCWD, "/dev/urandom", O_RDONLY | O_CLOEXEC, 0));
  if (!source.open()) return errno;
  const ssize_t got = calls.read(source.get(), to, size);
  if (got < 0) return errno;
  return static_cast<std::size_t>(got) == size ? 0 : EIO;
}

}  // namespace atmost::os
