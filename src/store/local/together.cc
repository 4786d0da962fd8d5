// The C library's short way: guard and slot by one lock call, on one description
// (docs/internals/lock-map.md, "Guard and slot together").
#include "os/byte_lock.h"
#include "os/file.h"
#include "session.h"

namespace atmost::local {

// The order matters: either a fork finds together_ set, and its child closes the description; or we
// find that there was a fork. So no child keeps the guard.
bool LockFile::begin_together(std::uint64_t forks, os::Bytes bytes) {
  __atomic_store_n(&together_, true, __ATOMIC_SEQ_CST);
  const auto lock = [&] {
    return mark_ != 0
               ? os::try_lock_marked(shared_.get(), mark_, bytes)
               : os::try_lock(shared_.get(), os::Owner::description, os::LockKind::write, bytes);
  };
  guarded_ = shares() && os::fork_count() == forks && lock() == 0;
  if (!guarded_) __atomic_store_n(&together_, false, __ATOMIC_SEQ_CST);
  return guarded_;
}

// `mark`: unlocks what begin_together() locked with it, wherever that was.
void LockFile::end_together(os::Bytes bytes, std::int64_t mark) {
  guarded_ = false;
  if (mark != 0) {
    os::unlock_marked(shared_.get(), mark, bytes);
  } else {
    os::unlock(shared_.get(), os::Owner::description, bytes);
  }
  __atomic_store_n(&together_, false, __ATOMIC_SEQ_CST);
}

// The index is needed for higher slots only: that of the last refresh() covers slot 1.
bool LockFile::refresh_header() {
  bool as_written = false;
  if (!read_good_header(fd(), identity_, written_, header_, as_written)) return false;
  first_word_blank_ = first_word_blank_ && as_written;
  state_ = HeaderState::good;
  return true;
}

bool LockFile::guard_with_slot(std::uint64_t forks) {
  if (!begin_together(forks, kGuardAndFirstSlot)) return false;
  bool same = false;
  struct stat status;
  name_known_ = leads_here(same, status) == 0 && same && is_unchanged(status);
  if (name_known_ && refresh_header()) return true;
  end_together(kGuardAndFirstSlot, mark_);
  return false;
}

bool LockFile::guard_beside_slots(std::uint64_t forks) {
  if (!begin_together(forks, kGuard)) return false;
  if (refresh_header()) return true;
  end_together(kGuard, mark_);
  return false;
}

bool LocalSession::guards_with_slot(const Ticket* queue) {
  const LockSpec& spec = request_->locks[0];
  const bool in_queue = queue != nullptr && queue->drawn;
  return spec.max > 0 && spec.take == 1 && spec.mode != Mode::exclusive && !in_queue &&
         entry(0).file.guard_with_slot(forks_);
}

// Slot 1, which is locked together with the guard, unless anything has to be looked at more
// closely. Then there is no room, and the ordinary way has the answer.
void LocalSession::reserve_first() {
  LockFile& file = entry(0).file;
  Word word;
  os::Conflict other;
  if (!file.first_word_is_blank()) {
    if (read_words(file.fd(), 1, 1, &word) != 0 || (word.flags & kDrainedFlag) != 0) return;
    if (file.words_count() && word_lives(word)) return;
    file.keep_first_word(word.thread == 0 && word.flags == 0);
  }
  const os::Bytes behind = {slot_byte(request_->locks[0].max) + 1, 0};
  if (os::query_lock(file.fd(), os::Owner::description, os::LockKind::write, behind, other) != 0 ||
      other.found)
    return;
  entry(0).reserved.insert(1);
  entry(0).reserved.note(word);
}

Result<LockFile::Guarded> LocalSession::guard_to_release(std::uint32_t lock, const Lesson& lesson) {
  LockFile& file = entry(lock).file;
  // Learning opens another file, too.
  const bool plain = heirs_ == Heirs::forks && count_ == 1 && lesson.how == nullptr;
  if (plain && file.may_stay_open() && file.guard_beside_slots(forks_))
    return LockFile::Guarded::held;
  return file.guard_wherever();
}

}  // namespace atmost::local
