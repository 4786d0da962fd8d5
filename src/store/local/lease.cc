// LocalSession: a hold, from its admission to its end.
#include "os/clock.h"
#include "os/occupancy.h"
#include "proof.h"
#include "session.h"

namespace atmost::local {

// Whether somebody has locked the byte that belongs to some slot of the hold.
bool LocalSession::is_locked_beside(std::uint32_t lock,
                                    std::int64_t (*byte_of)(std::uint32_t)) const {
  const HeldLock& mine = held(lock);
  for (std::uint32_t i = 0; i < mine.count; ++i) {
    os::Conflict other;
    const os::Bytes byte = {byte_of(mine.slots[i]), 1};
    const int error =
        os::query_lock(entry(lock).file.fd(), os::Owner::description, os::Hold::write, byte, other);
    if (error == 0 && other.found) return true;
  }
  return false;
}

Contest LocalSession::contested(std::uint32_t lock) const {
  if (!is_locked_beside(lock, takeover_byte)) return Contest::none;
  return is_locked_beside(lock, kill_byte) ? Contest::by_kill : Contest::for_its_place;
}

bool LocalSession::in_place(std::uint32_t lock) const { return !entry(lock).file.displaced(); }

bool LocalSession::revoked(os::Watch& watch) const {
  const LockFile& file = entry(0).file;
  const HeldLock& mine = held(0);
  if (!watch.started()) watch.start(file.path());
  for (std::uint32_t i = 0; i < mine.count; ++i) {
    Word word;
    if (read_words(mine.fd, mine.slots[i], 1, &word) == 0 && (word.flags & kRevokedFlag) != 0)
      return true;
  }
  return false;
}

void LocalSession::leave_proofs() {
  for (std::uint32_t i = 0; i < count_; ++i)
    (void)leave_proof(entry(i).file, held(i).slots, held(i).count);
}

void LocalSession::name_holder(std::int64_t pid) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    const int fd = entry(i).file.fd();
    for (std::uint32_t j = 0; j < held(i).count; ++j) {
      Record record;
      if (!read_record(fd, held(i).slots[j], record)) continue;
      record.pid = static_cast<std::uint32_t>(pid);
      (void)write_record(fd, record);
    }
  }
}

void LocalSession::release(Ending ending, const Instant& now, const Lesson& lesson) {
  for (std::uint32_t i = 0; i < count_; ++i) release_one(i, ending, now, lesson);
  close_files();
}

// This write is what wakes the waiters. False when a word is left.
bool LocalSession::clear_own_words(std::uint32_t lock) {
  bool cleared = true;
  for (std::uint32_t i = 0; i < held(lock).count; ++i) {
    cleared = write_word(entry(lock).file.fd(), held(lock).slots[i], 0) == 0 && cleared;
  }
  return cleared;
}

// The slots, and what the next waiter is blocked on beside them.
void LocalSession::let_go(Entry& entry) {
  drop(entry.file, owner_, entry.reserved);
  os::unlock(entry.file.slot_fd(), owner_, {kHandoverByte, 1});
}

void LocalSession::learn_from_run(std::uint32_t lock, const Lesson& lesson) {
  if (lesson.how == nullptr) return;
  const Entry& from = entry(lock);
  RunSample sample = lesson.sample;
  const Stamp previous = stamp_of(from.before.start, from.file.identity());
  const std::int64_t since = previous.known ? age_ns(previous, from.admitted) : -1;
  if (since >= 0) sample.since_previous = {since};
  sample.asked_real_ns = from.admitted.real_ns;
  memorize(from.file.fd(), from.file.path(), making_, lesson.how, sample);
}

void LocalSession::release_one(std::uint32_t lock, Ending ending, const Instant& now,
                               const Lesson& lesson) {
  Entry& from = entry(lock);
  const Result<LockFile::Guarded> guarded =
      from.file.guard(plus(os::boot_ns(), {kGuardPatienceNs}));
  // Without the guard (its holder is stopped, the file was replaced) the slot is freed all the
  // same; a newcomer's word may then be cleared with ours, which makes it doubtful, not wrong.
  const bool orderly = guarded.ok() && guarded.value() == LockFile::Guarded::held;
  const bool hints = held(lock).token != 0;
  // With the guard, whoever is woken by our word finds the slot free; without it the slot has to be
  // free by then.
  drop_flock(from);
  if (!orderly) let_go(from);
  if (hints && orderly && ending != Ending::unknown) {
    Header& header = from.file.header();
    header.finish = data_of(now, from.file.identity());
    if (ending == Ending::success) header.success = header.finish;
    (void)from.file.save_header();
    learn_from_run(lock, lesson);
  }
  const bool cleared = hints && clear_own_words(lock);
  if (orderly && owner_ == os::Owner::description) {
    from.file.unlock_all();
    from.reserved.count = 0;
    from.reserved.mode_held = false;
  } else if (orderly) {
    let_go(from);
  }
  // Only now, and not at all when a word of ours is left: the kernel disowns it when we end,
  // however we do.
  if (cleared && from.words_registered) os::forget_words();
  from.words_registered = false;
  from.file.unguard();
}

}  // namespace atmost::local
