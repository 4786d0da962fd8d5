#ifndef ATMOST_STORE_MEMORY_SESSION_H
#define ATMOST_STORE_MEMORY_SESSION_H

#include <cstdint>

#include "core/session.h"
#include "holder_stop.h"
#include "lock.h"

namespace atmost::memory {

// One of an array in the store: free until begin(). await() does not block: it answers maybe, or
// deadline when that is not after the moment of the last attempt.
class MemorySession final : public Session, private Hold {
 public:
  MemorySession() : Hold(&held_) {}

  // Borrows both until close().
  void begin(Lock& lock, const Request& request);
  bool begun() const { return lock_ != nullptr; }

  Result<Decision> attempt(DecideFn decide, const Instant& now, Ticket* queue,
                           Lease& lease) override;
  Result<Wake> await(Ticket& ticket, std::int64_t deadline_boot_ns) override;
  void withdraw(Ticket& ticket) override;
  Result<std::uint32_t> count_refusal(std::uint32_t lock) override;
  Result<std::uint32_t> count_end(std::uint32_t lock, bool failed) override;
  bool learn(std::uint32_t lock, LearnFn how, const RunSample& sample) override;
  Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                 StopFor what_for) override;
  void close() override;

 private:
  // One attempt (session.cc).
  View view_of(const Ticket* queue, const Instant& now) const;
  // How many of the `free` slots are reserved for earlier waiters.
  void settle_claims(const Ticket* queue, std::uint32_t free, const Instant& now, View& view) const;
  Stamp first_in_rate() const;
  void settle_place(const Decision& decision, const Instant& now, Ticket& queue);
  Lock::Waiter* waiter_behind(std::uint64_t ticket) const;
  // Whether the slot is closed to us: drained, or another session is stopping its holder and we
  // have not waited for it.
  bool closed(std::uint32_t slot, const Ticket* queue) const;
  void admit(const Instant& now, const Ticket* queue);
  void draw(const Instant& now, Ticket& ticket);

  // The hold (lease.cc).
  Contest contested(std::uint32_t lock) const override;
  void release(Ending ending, const Instant& now, const Lesson& lesson) override;

  Lock* lock_ = nullptr;
  const Request* request_ = nullptr;
  std::int64_t asked_boot_ns_ = 0;
  HeldLock held_;
  Stamp start_before_;  // of the admission before ours
  std::uint64_t admissions_before_ = 0;
  MemoryHolderStop stops_[kMaxVictims];
};

}  // namespace atmost::memory

#endif
