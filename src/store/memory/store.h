// The reference store: one lock in memory, without kernel locks and hints, as simple as the
// contract suite allows.
#ifndef ATMOST_STORE_MEMORY_STORE_H
#define ATMOST_STORE_MEMORY_STORE_H

#include "core/store.h"
#include "session.h"

namespace atmost::memory {

inline constexpr std::uint32_t kSessions = 256;  // open at once

// About two megabytes, so allocate it on the heap or statically. It has one lock, whatever name a
// request gives (no --also). Not thread-safe: callers take turns.
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
