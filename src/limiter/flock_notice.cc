#include "flock_notice.h"

#include "os/file.h"
#include "os/locks.h"
#include "os/self.h"

namespace atmost::limiter {
namespace {

void warn(const LockSpec& lock, const os::LockLine& flock, Observer& observer) {
  Error words = error_of(Code::busy, 0, lock.name);
  words.message.append(": ");
  if (flock.pid > 0) {
    words.message.append("process ").append_signed(flock.pid);
  } else {
    words.message.append("a process not visible from here");
  }
  words.message.append(
      " holds a flock(2) lock on it, which does not exclude atmost: use --with-flock as long as "
      "others use "
      "flock(1)");
  observer.warning(words);
}

}  // namespace

void notice_flocks(const Request& request, const Lease& lease, Observer* observer) {
  for (std::uint32_t i = 0; observer != nullptr && !request.with_flock && i < request.lock_count;
       ++i) {
    const HeldLock& held = lease.lock(i);
    if (!held.was_empty) continue;
    struct stat status;
    if (os::file_status(held.fd, status) != 0) continue;
    const auto device = static_cast<std::uint64_t>(status.st_dev);
    const auto inode = static_cast<std::uint64_t>(status.st_ino);
    os::LockLine flock;
    // A flock(2) above this run is intended: flock(1) that runs atmost keeps out other callers of
    // flock(1).
    if (os::find_flock(device, inode, flock) && !os::flock_above(os::process_id(), device, inode))
      warn(request.locks[i], flock, *observer);
  }
}

}  // namespace atmost::limiter
