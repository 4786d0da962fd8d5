// The reference store: one lock in memory, no kernel, no hints, nothing clever. What the contract
// suite means, it says.
#ifndef ATMOST_STORE_MEMORY_STORE_H
#define ATMOST_STORE_MEMORY_STORE_H

#include "core/store.h"
#include "session.h"

namespace atmost::memory {

inline constexpr std::uint32_t kSessions = 256;  // open at once

// About two megabytes: for the heap or static. Whatever a request calls it, there is one lock here
// (no --also). Not thread-safe: callers take turns.
class MemoryStore final : public Store {
 public:
  const StoreTraits& traits() const override;
  Result<Owned<Session>> open(const Request& request) override;
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                LockVisitor* visitor) override;
  Status set_drained(const Request& request, std::uint32_t slot, bool drained) override;
  Status forget(const Request& request) override;

 private:
  Lock lock_;
  MemorySession sessions_[kSessions];
};

}  // namespace atmost::memory

#endif
