// The state of the one lock of a MemoryStore.
#ifndef ATMOST_STORE_MEMORY_LOCK_H
#define ATMOST_STORE_MEMORY_LOCK_H

#include <cstdint>

#include "core/view.h"

namespace atmost::memory {

class MemorySession;

inline constexpr std::uint32_t kSlots = 256;  // the largest N and K it can serve
inline constexpr std::uint32_t kWaiters = 256;

struct Lock {
  bool drained = false;
  bool slot_drained[kSlots] = {};
  bool slot_held[kSlots] = {};
  const MemorySession* stopper[kSlots] = {};  // the session that is stopping the slot's holder
  bool stopped_by_kill[kSlots] = {};          // `atmost kill` stops it, and does not want the slot
  HolderView holders[kSlots];
  const MemorySession* writer = nullptr;  // the exclusive holder
  std::uint64_t token = 0;
  std::uint32_t refusals = 0;
  std::uint32_t failures = 0;
  LastAdmission last;
  std::uint64_t admissions = 0;   // recorded in the ring; 0: no caller has had a rate
  Stamp ring[kMaxRate];           // admission n at n modulo kMaxRate
  std::uint64_t superseding = 0;  // the last ticket drawn with --on-busy=supersede
  LockStats stats{};
  DirectoryStats directory_stats{};
  std::uint64_t last_ticket = 0;
  struct Waiter {
    std::uint64_t ticket = 0;  // 0: this entry is free
    const MemorySession* session = nullptr;
    WaiterView view;
    std::uint32_t take = 0;
    bool joins = false;
    std::int64_t turn_boot_ns = 0;  // when its turn began, 0: it had none
    std::int64_t due_boot_ns = 0;   // until then its rate does not allow it; 0: it has none
  } waiters[kWaiters];
  HolderView seen[kSlots];  // for the current decision
};

inline Stamp stamp_of(const Instant& at) {
  return {at.real_ns, at.given ? 0 : at.boot_ns, !at.given, true};
}

}  // namespace atmost::memory

#endif
