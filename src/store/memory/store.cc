#include "store.h"

namespace atmost::memory {
namespace {

constexpr StoreTraits kTraits = {.remembers_runs = true,
                                 .queue = true,
                                 .weights = true,
                                 .modes = true,
                                 .several_slots = true,
                                 .drain = true,
                                 .takeover = true,
                                 .counts = true,
                                 .last_admission = true,
                                 .withdraws = true,
                                 .rates = true,
                                 .queue_limits = true,
                                 .turns = true};

}  // namespace

const StoreTraits& MemoryStore::traits() const { return kTraits; }

Result<Owned<Session>> MemoryStore::open(const Request& request) {
  if (request.lock_count != 1)
    return error_of(Code::usage, 0, "this store takes one lock at a time");
  for (MemorySession& session : sessions_) {
    if (session.begun()) continue;
    session.begin(lock_, request);
    return Owned<Session>(&session);
  }
  return error_of(Code::internal, 0, "the memory store has no session left");
}

Result<std::uint32_t> MemoryStore::inspect(const LockSpec&, const Instant&, LockVisitor* visitor) {
  std::uint32_t held = 0;
  if (visitor != nullptr) visitor->header({true, lock_.drained, lock_.token, lock_.last});
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    if (!lock_.slot_held[i]) continue;
    ++held;
    if (visitor != nullptr) visitor->holder(lock_.holders[i]);
  }
  if (visitor == nullptr) return held;
  std::uint64_t shown = 0;
  for (;;) {  // in ticket order, which is the order of every queue
    const Lock::Waiter* next = nullptr;
    for (const Lock::Waiter& waiter : lock_.waiters) {
      if (waiter.ticket > shown && (next == nullptr || waiter.ticket < next->ticket))
        next = &waiter;
    }
    if (next == nullptr) return held;
    shown = next->ticket;
    visitor->waiter(next->view);
  }
}

Status MemoryStore::set_drained(const Request&, std::uint32_t slot, bool drained) {
  if (slot > kSlots) return error_of(Code::usage, 0, "no such slot");
  if (slot > 0) {
    lock_.slot_drained[slot - 1] = drained;
    return {};
  }
  lock_.drained = drained;
  for (bool& each : lock_.slot_drained) each = drained && each;
  return {};
}

Result<StatsKept> MemoryStore::recall(const Request&, LockStats& lock, DirectoryStats& directory) {
  lock = lock_.stats;
  directory = lock_.directory_stats;
  return StatsKept::kept;
}

Status MemoryStore::forget(const Request&) {
  lock_.last = {};
  lock_.admissions = 0;
  lock_.stats = {};
  return {};
}

}  // namespace atmost::memory
