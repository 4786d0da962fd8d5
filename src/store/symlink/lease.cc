// The end of a hold.
#include "lease.h"

#include "link.h"
#include "os/self.h"

namespace atmost::symlink {

void remove_lock(const LockNames& names, const MutexText& mutex, const PathText& text,
                 std::uint64_t boot) {
  const ProcessIdentity self = identity_of(os::process_id(), boot);
  Claim claim;
  // If the mutex has an expiry or belongs to another process, it may be over and about to be
  // removed by another caller: then the right to remove it decides.
  if (mutex.until_s != 0 || mutex.identity.pid != self.pid) {
    const Result<TryLock> claimed = claim_removal(names, format_mutex(mutex), self, claim);
    if (!claimed.ok() || claimed.value() == TryLock::busy) return;
  }
  leave_link(names, spare_name(names, self.pid, mutex.token), text);
  leave_mutex(names, mutex);
  drop_claim(claim);
}

}  // namespace atmost::symlink
