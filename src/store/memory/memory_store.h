// The reference store: one lock in memory, no kernel, no hints, nothing clever. What the contract
// suite means, it says.
#ifndef ATMOST_STORE_MEMORY_MEMORY_STORE_H
#define ATMOST_STORE_MEMORY_MEMORY_STORE_H

#include <cstdint>

#include "core/store.h"

namespace atmost::memory {

inline constexpr std::uint32_t kSlots = 256;    // the largest N and K it can serve
inline constexpr std::uint32_t kHandles = 256;  // leases alive at once
inline constexpr std::uint32_t kWaiters = 256;

// The state of one lock, shared by the stores of all its callers; outlives them.
struct Lock {
  bool drained = false;
  bool slot_drained[kSlots] = {};
  bool slot_held[kSlots] = {};
  const void* taker[kSlots] = {};  // whose store is taking the slot over
  HolderView holders[kSlots];
  std::uint64_t token = 0;
  std::uint32_t refusals = 0;
  LastAdmission last;
  std::uint64_t last_ticket = 0;
  std::uint32_t exclusive_handle = 0;  // handle + 1 of an exclusive holder, 0: none
  struct Waiter {
    std::uint64_t ticket = 0;  // 0: free place
    WaiterView view;
    std::uint32_t take = 0;
    bool joins = false;
    std::int64_t turn_boot_ns = 0;  // when its turn began, 0: it had none
  } waiters[kWaiters];
  struct Handle {
    bool used = false;
    HeldLock held;
    bool exclusive = false;
  } handles[kHandles];
};

// One request has one lock here (no --also). await() does not block: it answers maybe, or deadline
// when the deadline has come by the clock it was made with. Not thread-safe: callers take turns.
class MemoryStore final : public Store {
 public:
  explicit MemoryStore(Lock& lock) : lock_(lock) {}

  // The clock that await() compares deadlines with; moved on by tests.
  std::int64_t boot_ns = 0;

  Capabilities capabilities() const override {
    return {false, true, true, true, false, true, true, true, true, true, true};
  }
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

 private:
  View view_of(const Request& request, const Ticket* queue, const Instant& now) const;
  // What is owed to those who came first, of `free` slots while `held` are held.
  void settle_claims(const LockSpec& spec, const Ticket* queue, std::uint32_t free,
                     const Instant& now, View& view) const;
  Lock::Waiter* waiter_behind(std::uint64_t ticket) const;
  // Whether the slot is closed to a caller: drained, or another one is taking it over and he has
  // not waited for it.
  bool closed(std::uint32_t slot, const Ticket* queue) const;
  void admit(const Request& request, const Instant& now, const Ticket* queue, std::uint32_t handle);
  void draw(const Request& request, const Instant& now, Ticket& ticket);

  Lock& lock_;
  mutable HolderView seen_[kSlots];
};

}  // namespace atmost::memory

#endif
