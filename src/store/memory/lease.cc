// MemorySession: a hold.
#include "session.h"

namespace atmost::memory {

Contest MemorySession::contested(std::uint32_t) const {
  for (std::uint32_t i = 0; i < held_.count; ++i) {
    const std::uint32_t slot = held_.slots[i];
    if (lock_->stopper[slot - 1] == nullptr) continue;
    return lock_->stopped_by_kill[slot - 1] ? Contest::by_kill : Contest::for_its_place;
  }
  return Contest::none;
}

void MemorySession::release(Ending ending, const Instant& now, const Lesson&) {
  for (std::uint32_t i = 0; i < held_.count; ++i) {
    const std::uint32_t slot = held_.slots[i];
    const bool ours = lock_->holders[slot - 1].token == held_.token;  // it was not taken over
    if (ours) lock_->slot_held[slot - 1] = false;
  }
  if (lock_->writer == this) lock_->writer = nullptr;
  if (ending == Ending::not_started && lock_->token == held_.token) {
    lock_->last.start = start_before_;
    lock_->admissions = admissions_before_;
  }
  if (is_finish(ending)) lock_->last.finish = stamp_of(now);
  if (ending == Ending::success) lock_->last.success = stamp_of(now);
  held_.count = 0;
}

}  // namespace atmost::memory
