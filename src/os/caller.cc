#include "caller.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "calls.h"
#include "self.h"
#include "terminal.h"

namespace atmost::os {
namespace {

constexpr std::int64_t kInit = 1;
constexpr std::int64_t kTickNs = 10'000'000;  // of proc(5)'s start times: USER_HZ is 100

int open_parent(ProcessHandle& to) {
  const std::int64_t parent = parent_id();
  if (parent <= kInit) return ESRCH;
  if (const int error = to.open(parent)) return error;
  ProcessFacts above;
  if (process_facts(parent, above) == 0) {
    const std::int64_t own = calls.getsid(0);
    if (above.session != own && own != process_id()) return ESRCH;
  }
  // If it has ended meanwhile, we have another parent.
  return parent_id() == parent && to.alive() ? 0 : ESRCH;
}

}  // namespace

int open_caller(const Caller& caller, ProcessHandle& to) {
  if (caller.which == Caller::Which::parent) return open_parent(to);
  if (const int error = to.open(caller.pid)) {
    // Some kernels answer so for a thread, too, which has no /proc/PID/task of its own.
    return error == ENOENT ? EINVAL : error;
  }
  if (!to.alive()) return ESRCH;
  if (caller.start_ticks == 0) return 0;
  ProcessFacts facts;
  const int error = process_facts(caller.pid, facts);
  if (error != 0) return error;
  if (facts.start_boot_ns != caller.start_ticks * kTickNs) return ESRCH;
  return to.alive() ? 0 : ESRCH;
}

bool accept_handle(int descriptor) {
  // Signal 0 only asks. ESRCH: the process has ended and was reaped.
  if (calls.pidfd_send_signal(descriptor, 0, 0) != 0 && errno != ESRCH && errno != EPERM)
    return false;
  return calls.control(descriptor, F_SETFD, FD_CLOEXEC) == 0;
}

bool accept_pipe(int descriptor) {
  struct stat facts;
  if (calls.fstat(descriptor, &facts) != 0 || !S_ISFIFO(facts.st_mode)) return false;
  return calls.control(descriptor, F_SETFD, FD_CLOEXEC) == 0;
}

void send_end(int pipe, SentEnd end) { (void)write_stream(pipe, &end, sizeof end); }

bool read_end(int pipe, SentEnd& to) {
  ssize_t got;
  do {
    got = calls.read(pipe, &to, sizeof to);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof to);
}

void leave_session() { calls.setsid(); }

void silence_streams() {
  const Fd nothing(calls.openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0));
  if (!nothing.open()) return;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    calls.dup2(nothing.get(), stream);
}

}  // namespace atmost::os
