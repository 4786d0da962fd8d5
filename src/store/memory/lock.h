// The state of the one lock of a MemoryStore.
#ifndef ATMOST_STORE_MEMORY_LOCK_H
#define ATMOST_STORE_MEMORY_LOCK_H

#include <cstdint>

#include "rule/table.h"

namespace atmost::memory {

class MemorySession;

inline constexpr std::uint32_t kSlots = 256;  // the largest N and K it can serve
inline constexpr std::uint32_t kWaiters = 256;

struct Slot {
  bool held = false;
  bool writes = false;
  bool drained = false;
  const MemorySession* stopper = nullptr;  // the session that is stopping the slot's holder
  bool stopped_by_kill = false;            // `atmost kill` stops it, and does not want the slot
  HolderView holder;
};

struct Lock {
  rule::State state;
  Slot slots[kSlots];
  Stamp ring[kMaxRate];  // admission n at n modulo kMaxRate
  LockStats stats{};
  DirectoryStats directory_stats{};
  std::uint64_t last_ticket = 0;
  // By ticket.
  std::uint32_t waiter_count = 0;
  rule::Table::Queued places[kWaiters];
  WaiterView shown[kWaiters];
};

// One look at it. The lock must not change while it is used.
class MemoryFacts final : public rule::TableFacts {
 public:
  void look(Lock& lock, const rule::Asker& asker, const MemorySession* session);

  Stamp admission(std::uint32_t back) override;
  StatsKept stats(LockStats*& lock, DirectoryStats*& directory) override {
    lock = &lock_->stats;
    directory = &lock_->directory_stats;
    return StatsKept::kept;
  }

 private:
  Lock* lock_ = nullptr;
  HolderView holders_[kSlots];
  std::uint32_t drained_[kSlots];
  std::uint32_t taken_over_[kSlots];
};

}  // namespace atmost::memory

#endif
