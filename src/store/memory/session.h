#ifndef ATMOST_STORE_MEMORY_SESSION_H
#define ATMOST_STORE_MEMORY_SESSION_H

#include <cstdint>

#include "core/session.h"
#include "holder_stop.h"
#include "lock.h"
#include "rule/admit.h"

namespace atmost::memory {

// One of an array in the store: free until begin(). await() does not block: it answers maybe, or
// deadline when that is not after the moment of the last attempt.
class MemorySession final : public Session {
 public:
  // Borrows both until close().
  void begin(Lock& lock, const Request& request);
  bool begun() const { return lock_ != nullptr; }

  Status look(const Attempt& attempt, rule::Looked& to) override;
  Status apply(const rule::Plan& plan, const Instant& now, Ticket* queue,
               rule::Applied& to) override;
  Result<Wake> await(Ticket& ticket, std::int64_t deadline_boot_ns) override;
  Result<Edited> edit(std::uint32_t lock, const Edit& edit) override;
  Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                 StopFor what_for) override;
  Upkeep upkeep(About what, std::uint32_t lock) const override;
  void end(const End& what) override;

 private:
  Status place(const rule::Plan& plan, const Instant& now, Ticket& queue);
  Status draw(const Instant& now, Ticket& ticket);
  static void describe(rule::Waiter& waiter, const Ticket& ticket);
  void leave(Ticket& ticket);
  void release(Ending ending, const Instant& now);
  void hold(const rule::LockPlan& plan, const Instant& now);
  std::uint32_t position_of(std::uint64_t ticket) const;

  Lock* lock_ = nullptr;
  const Request* request_ = nullptr;
  std::int64_t asked_boot_ns_ = 0;
  Ticket place_;  // drawn: we wait
  MemoryFacts facts_;
  rule::Facts* const looked_ = &facts_;
  HeldLock held_;
  rule::Held before_;
  MemoryHolderStop stops_[kMaxVictims];
};

}  // namespace atmost::memory

#endif
