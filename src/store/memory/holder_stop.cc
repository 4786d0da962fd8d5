#include "holder_stop.h"

namespace atmost::memory {

bool MemoryHolderStop::begin(Lock& lock, const MemorySession& session, std::uint32_t slot,
                             std::uint64_t hold, StopFor what_for) {
  if (lock.stopper[slot - 1] != nullptr) return false;
  lock.stopper[slot - 1] = &session;
  lock.stopped_by_kill[slot - 1] = what_for == StopFor::kill;
  lock_ = &lock;
  slot_ = slot;
  hold_ = hold;
  return true;
}

// A holder in memory ends at the first signal.
Result<SignalResult> MemoryHolderStop::signal(SignalStep step) {
  SignalResult found;
  const HolderView& holder = lock_->holders[slot_ - 1];
  found.held = lock_->slot_held[slot_ - 1] && holder.hold == hold_;
  found.token = holder.token;
  found.start = holder.start;
  if (!found.held || step == SignalStep::look || step == SignalStep::prove) return found;
  lock_->slot_held[slot_ - 1] = false;
  found.signalled = 1;
  return found;
}

void MemoryHolderStop::close() {
  lock_->stopper[slot_ - 1] = nullptr;
  lock_ = nullptr;
}

}  // namespace atmost::memory
