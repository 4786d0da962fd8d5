// LocalStore's part in taking a slot over, and in counting refusals.
#include <cerrno>

#include "eviction.h"
#include "local_store.h"
#include "os/clock.h"

namespace atmost::local {

Result<bool> LocalStore::begin_takeover(std::uint32_t lock, std::uint32_t slot) {
  LockFile& file = entries_[lock].file;
  family_.clear();
  const int error =
      os::try_lock(file.fd(), os::Owner::description, os::Hold::write, {takeover_byte(slot), 1});
  if (error == EAGAIN) return false;
  if (error != 0) return file.failure(Code::io, error, "cannot begin to take a slot over");
  return true;
}

void LocalStore::end_takeover(std::uint32_t lock, std::uint32_t slot) {
  if (!entries_[lock].file.present()) return;
  os::unlock(entries_[lock].file.fd(), os::Owner::description, {takeover_byte(slot), 1});
  if (kills_) os::unlock(entries_[lock].file.fd(), os::Owner::description, {kill_byte(slot), 1});
}

// That it cannot be had costs a word in a message.
void LocalStore::mark_as_kill(std::uint32_t lock, std::uint32_t slot) {
  kills_ = true;
  (void)os::try_lock(entries_[lock].file.fd(), os::Owner::description, os::Hold::write,
                     {kill_byte(slot), 1});
}

Result<SignalResult> LocalStore::press(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                       SignalStep pressure) {
  LockFile& file = entries_[lock].file;
  Result<LockFile::Guarded> guarded = file.guard(plus(os::boot_ns(), {kGuardPatienceNs}));
  if (!guarded.ok()) return guarded.error();
  if (guarded.value() == LockFile::Guarded::replaced)
    return SignalResult{};  // nobody holds a slot of the new file for us
  if (guarded.value() == LockFile::Guarded::timeout)
    return file.failure(Code::busy, 0, "its guard is held too long");
  const SignalResult pressed = press_holder(file, slot, hold, pressure, family_);
  file.unguard();
  return pressed;
}

std::uint32_t LocalStore::survivors(std::span<const std::uint64_t> tokens,
                                    std::span<std::int64_t> to) const {
  return family_.alive(tokens, to);
}

// Whether somebody has locked the byte that belongs to some slot of the hold.
bool LocalStore::is_locked_beside(const Entry& entry, std::int64_t (*byte_of)(std::uint32_t)) {
  for (std::uint32_t i = 0; i < entry.held.count; ++i) {
    os::Conflict taker;
    const os::Bytes byte = {byte_of(entry.held.slots[i]), 1};
    const int error =
        os::query_lock(entry.file.fd(), os::Owner::description, os::Hold::write, byte, taker);
    if (error == 0 && taker.found) return true;
  }
  return false;
}

bool LocalStore::contested(std::uint32_t, std::uint32_t lock) const {
  return is_locked_beside(entries_[lock], takeover_byte);
}

bool LocalStore::stopped_by_kill(std::uint32_t, std::uint32_t lock) const {
  return is_locked_beside(entries_[lock], kill_byte);
}

Result<std::uint32_t> LocalStore::count_refusal(const Request&, std::uint32_t lock) {
  LockFile& file = entries_[lock].file;
  Result<LockFile::Guarded> guarded = file.guard(plus(os::boot_ns(), {kGuardPatienceNs}));
  if (!guarded.ok()) return guarded.error();
  if (guarded.value() != LockFile::Guarded::held) return std::uint32_t{0};
  if (file.header().refusals != UINT32_MAX) ++file.header().refusals;
  const std::uint32_t count = file.header().refusals;
  Status saved = file.save_header();
  file.unguard();
  if (!saved.ok()) return saved.error();
  return count;
}

bool LocalStore::revoked(os::Watch& watch) const {
  const Entry& entry = entries_[0];
  if (!watch.started()) watch.start(entry.file.path());
  for (std::uint32_t i = 0; i < entry.held.count; ++i) {
    Word word;
    if (read_words(entry.held.fd, entry.held.slots[i], 1, &word) == 0 &&
        (word.flags & kRevokedFlag) != 0)
      return true;
  }
  return false;
}

}  // namespace atmost::local
