// Locks as symbolic links, in the format of the shell function lock_unlock, so that scripts with it
// and atmost exclude one another. For filesystems without byte locks, and for old scripts.
// docs/symlink-locks.md has the whole story.
#ifndef ATMOST_STORE_SYMLINK_SYMLINK_STORE_H
#define ATMOST_STORE_SYMLINK_SYMLINK_STORE_H

#include <cstdint>

#include "core/store.h"
#include "os/name_watch.h"
#include "place.h"
#include "seat.h"

namespace atmost::symlink {

// One lock, one slot, one request at a time; nothing is open between calls but the watch of a
// waiter. About 40 KiB, meant to be static. Not thread-safe. Everybody has to see the same
// processes: one machine, one pid namespace.
//
// A hold belongs to a process (ours, unless set_holder() names another) and ends with it, however
// it ends: then the link stays until the next one who wants it finds it so, unless somebody is
// there to remove it (await_end()). request.expire_after is written into the link: from then on the
// lock is anybody's, and nobody is signalled. No order among waiters. The token is the wall clock
// in µs: it increases within a process and as long as the clock is not put back.
class SymlinkStore final : public Store {
 public:
  SymlinkStore() = default;
  SymlinkStore(const SymlinkStore&) = delete;
  SymlinkStore& operator=(const SymlinkStore&) = delete;

  Capabilities capabilities() const override;
  Result<Decision> attempt(const Request& request, DecideFn decide, const Instant& now,
                           Ticket* queue, Lease& lease) override;
  Result<Wake> await(const Request& request, Ticket& ticket,
                     std::int64_t deadline_boot_ns) override;
  void withdraw(const Request& request, Ticket& ticket) override;
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                LockVisitor* visitor) override;
  Status set_drained(const Request& request, std::uint32_t slot, bool drained) override;
  Result<bool> begin_takeover(std::uint32_t lock, std::uint32_t slot) override;
  Result<SignalResult> press(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                             SignalStep pressure) override;
  void end_takeover(std::uint32_t lock, std::uint32_t slot) override;
  Result<std::uint32_t> count_refusal(const Request& request, std::uint32_t lock) override;
  bool contested(std::uint32_t handle, std::uint32_t lock) const override;
  Status forget(const Request& request) override;
  const HeldLock& held(std::uint32_t handle, std::uint32_t lock) const override;
  void release(std::uint32_t handle, Ending ending, const Instant& now) override;

  // For who stays when a lock was taken in another process's name: blocks until that process,
  // `holder`, has ended (true), or our link is not under the name any more (false: released, or
  // expired and taken by somebody else). The lease is still to be released, or to be detached. No
  // signal handler may run meanwhile.
  bool await_end(const os::ProcessHandle& holder);

  // Ends the hold that was taken in the name of `pid`: false when there is none. Only by that
  // process's user, or root.
  Result<bool> let_go(const LockSpec& lock, std::int64_t pid);

  // On behalf of which process locks are taken from now on; 0: this one.
  void set_holder(std::int64_t pid) { holder_ = pid; }

 private:
  // How long a waiter trusts events and timers (a clock that is put forward raises none), and how
  // long it lets a state alone that ought to pass by itself.
  static constexpr std::int64_t kLookAgainNs = 5'000'000'000;
  static constexpr std::int64_t kSoonNs = 10'000'000;

  Status open(const Request& request);
  Result<bool> room(const Request& request, const Instant& now, View& view);
  Result<Grip> take(const Request& request, const Instant& now);
  Status write_texts(const Request& request, const Instant& now);

  Place place_;
  bool opened_ = false;
  std::uint64_t boot_ = 0;
  std::int64_t holder_ = 0;
  Mark mark_;      // of our seat
  PathText text_;  // of our link
  HeldLock held_;
  std::uint64_t seen_token_ = 0;
  os::NameWatch watch_;
};

}  // namespace atmost::symlink

#endif
