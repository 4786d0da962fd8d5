// LocalStore: the end of a hold.
#include "local_store.h"
#include "os/clock.h"
#include "os/occupancy.h"

namespace atmost::local {

void LocalStore::release(std::uint32_t, Ending ending, const Instant& now) {
  for (std::uint32_t i = 0; i < count_; ++i) release_one(entries_[i], ending, now);
  learn_ = nullptr;
  close();
}

bool LocalStore::in_place(std::uint32_t, std::uint32_t lock) const {
  return !entries_[lock].file.displaced();
}

bool LocalStore::in_place() const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (!entries_[i].file.in_place()) return false;
  }
  return true;
}

// This write is what wakes the waiters. False when a word is left.
bool LocalStore::clear_own_words(Entry& entry) {
  bool cleared = true;
  for (std::uint32_t i = 0; i < entry.held.count; ++i) {
    cleared = write_word(entry.file.fd(), entry.held.slots[i], 0) == 0 && cleared;
  }
  return cleared;
}

// The slots, and what the next waiter is blocked on beside them.
void LocalStore::let_go(Entry& entry) {
  drop(entry.file, owner_, entry.reserved);
  os::unlock(entry.file.slot_fd(), owner_, {kHandoverByte, 1});
}

void LocalStore::release_one(Entry& entry, Ending ending, const Instant& now) {
  const Result<LockFile::Guarded> guarded =
      entry.file.guard(plus(os::boot_ns(), {kGuardPatienceNs}));
  // Without the guard (its holder is stopped, the file was replaced) the slot is freed all the
  // same; a newcomer's word may then be cleared with ours, which makes it doubtful, not wrong.
  const bool orderly = guarded.ok() && guarded.value() == LockFile::Guarded::held;
  const bool hints = entry.held.token != 0;
  // With the guard, whoever is woken by our word finds the slot free; without it the slot has to be
  // free by then.
  drop_flock(entry);
  if (!orderly) let_go(entry);
  if (hints && orderly && ending != Ending::unknown) {
    Header& header = entry.file.header();
    header.finish = data_of(now, entry.file.identity());
    if (ending == Ending::success) header.success = header.finish;
    (void)entry.file.save_header();
    remember_run(entry);
  }
  const bool cleared = hints && clear_own_words(entry);
  if (orderly && owner_ == os::Owner::description) {
    entry.file.unlock_all();
    entry.reserved.count = 0;
    entry.reserved.mode_held = false;
  } else if (orderly) {
    let_go(entry);
  }
  // Only now, and not at all when a word of ours is left: the kernel disowns it when we end,
  // however we do.
  if (cleared && entry.words_registered) os::forget_words();
  entry.words_registered = false;
  entry.file.unguard();
}

}  // namespace atmost::local
