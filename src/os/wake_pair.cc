#include "wake_pair.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>

#include "calls.h"

namespace atmost::os {
namespace {

#ifdef SOCK_CLOEXEC
constexpr int kType = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
void prepare(int) {}
#else
constexpr int kType = SOCK_STREAM;
void prepare(int fd) {
  (void)calls.control(fd, F_SETFD, FD_CLOEXEC);
  (void)calls.control(fd, F_SETFL, O_NONBLOCK);
}
#endif

}  // namespace

int WakePair::open() {
  int ends[2];
  if (calls.socketpair(AF_UNIX, kType, 0, ends) != 0) return errno;
  for (const int end : ends) prepare(end);
  near_ = Fd(ends[0]);
  far_ = Fd(ends[1]);
  return 0;
}

void WakePair::close() {
  near_.reset();
  far_.reset();
}

void WakePair::raise(End end) const {
  const int before = errno;
  (void)calls.send(fd(end), "", 1, MSG_NOSIGNAL);  // a full buffer: it is readable already
  errno = before;
}

}  // namespace atmost::os
