// One lock as a symbolic link, for one request.
#ifndef ATMOST_STORE_SYMLINK_SESSION_H
#define ATMOST_STORE_SYMLINK_SESSION_H

#include <cstdint>

#include "core/store.h"
#include "format.h"
#include "mutex_link.h"
#include "os/self.h"
#include "os/watch.h"
#include "rule/judge.h"
#include "rule/table.h"

namespace atmost::symlink {

// One slot, no places.
class LinkFacts final : public rule::TableFacts {
 public:
  // `pid`: the holder's; 0: there is none.
  void set(const rule::Asker& asker, bool held, std::uint64_t token, std::int64_t pid);
  // The newest token of this process, as of set().
  std::uint64_t last_of_process() const { return last_of_process_; }

  bool ancestor() override;
  // The link's own ttl decides, and no process is signalled.
  std::span<const HolderView> holders(rule::Holders) override { return {}; }

 private:
  rule::Asker asker_;
  HolderView holder_;
  std::int64_t pid_ = 0;
  std::uint64_t last_of_process_ = 0;
};

// One lock, one slot; nothing is open between calls but the watch of a waiter. About 40 KiB.
//
// A hold belongs to a process (this one, or request.kept_for) and ends with it, however it ends:
// then the link stays until the next caller finds it, unless a helper process removes it
// (await_end()). request.expire_after is written into the link: after it any caller may take the
// lock, and no process is signalled. No order among waiters. The token is the wall clock in µs: it
// increases within a process and as long as the clock is not put back.
class SymlinkSession final : public Session {
 public:
  explicit SymlinkSession(const Request& request) : request_(request), boot_(os::boot_hash()) {}
  SymlinkSession(const SymlinkSession&) = delete;
  SymlinkSession& operator=(const SymlinkSession&) = delete;

  // Makes what the request wants to be made. The first call.
  Status prepare(OpenTo how);

  Status look(const Attempt& attempt, rule::Looked& to) override;
  Status apply(const rule::Plan& plan, const Instant& now, Ticket* queue,
               rule::Applied& to) override;
  Result<Wake> await(Ticket& ticket, std::int64_t deadline_boot_ns) override;
  Result<Edited> edit(std::uint32_t lock, const Edit& edit) override;
  void end(const End& what) override;

  // True if the lock's link is still that of our hold. False: it has expired, and another caller
  // took it, or somebody removed it. One system call. Of a session that has admitted.
  bool is_still_ours() const;

  // For a helper process that keeps a lock in another process's name: blocks until that process,
  // `holder`, has ended (true), or our link is no longer under the name (false: released, or
  // expired and taken by another caller). Afterwards the lease must still be released or detached.
  // No signal handler may run meanwhile.
  bool await_end(const os::ProcessHandle& holder);

 private:
  // The time for which a waiter relies on events and timers (a clock that is set forward raises
  // none), and waits for a temporary state to end by itself.
  static constexpr std::int64_t kLookAgainNs = 5'000'000'000;
  static constexpr std::int64_t kSoonNs = 10'000'000;

  Result<TryLock> take(const Instant& now, std::uint64_t token);
  Status write_texts(const Instant& now, std::uint64_t token);

  const Request& request_;
  LockNames names_;
  const std::uint64_t boot_;
  MutexText mutex_;
  PathText text_;  // of our link
  HeldLock held_;
  std::uint64_t seen_token_ = 0;
  std::uint32_t lost_ = 0;  // looks in a row after which another caller was faster
  LinkFacts facts_;
  rule::Facts* const looked_ = &facts_;
  os::NameWatch watch_;
};

// As SymlinkStore::open_for().
Result<Owned<SymlinkSession>> open_session(const Request& request, OpenTo how = OpenTo::make);

}  // namespace atmost::symlink

#endif
