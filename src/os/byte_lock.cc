#include "byte_lock.h"

#include <cerrno>

#include "calls.h"
#include "platform.h"

namespace atmost::os {
namespace {

struct flock range_of(short type, Bytes bytes) {
  struct flock range = {};  // l_pid must be 0 for description-owned locks, else EINVAL
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(bytes.start);
  range.l_len = static_cast<off_t>(bytes.length);
  return range;
}

// Tries again after a signal. POSIX allows either error when another owner's lock is in the way.
int call(int fd, int command, struct flock& range) {
  int error;
  do {
    error = calls.lock(fd, command, &range) == 0 ? 0 : errno;
  } while (error == EINTR);
  return error == EACCES ? EAGAIN : error;
}

}  // namespace

bool has_description_locks() { return platform::kDescriptionSet != F_SETLK; }

int try_lock(int fd, Owner owner, LockKind kind, Bytes bytes) {
  struct flock range = range_of(static_cast<short>(kind), bytes);
  return call(fd, owner == Owner::description ? platform::kDescriptionSet : F_SETLK, range);
}

int wait_lock(int fd, Owner owner, LockKind kind, Bytes bytes) {
  struct flock range = range_of(static_cast<short>(kind), bytes);
  const int command = owner == Owner::description ? platform::kDescriptionWait : F_SETLKW;
  return calls.lock(fd, command, &range) == 0 ? 0 : errno;
}

int unlock(int fd, Owner owner, Bytes bytes) {
  struct flock range = range_of(F_UNLCK, bytes);
  return call(fd, owner == Owner::description ? platform::kDescriptionSet : F_SETLK, range);
}

int query_lock(int fd, Owner owner, LockKind kind, Bytes bytes, Conflict& to) {
  struct flock range = range_of(static_cast<short>(kind), bytes);
  const int command = owner == Owner::description ? platform::kDescriptionQuery : F_GETLK;
  if (const int error = call(fd, command, range)) return error;
  to.found = range.l_type != F_UNLCK;
  to.write = range.l_type == F_WRLCK;
  to.bytes = {static_cast<std::int64_t>(range.l_start), static_cast<std::int64_t>(range.l_len)};
  to.pid = range.l_pid;
  return 0;
}

}  // namespace atmost::os
