// Slots: the search that tries them one by one, and skips those whose words show a living
// supervisor; and how many are held.
#include <cerrno>

#include "os/futex.h"
#include "os/locks.h"
#include "os/self.h"
#include "slots.h"

namespace atmost::local {
namespace {

int any_locked(int fd, std::int64_t low, std::int64_t end, Run& to, os::LockKind against) {
  to = {};
  if (low >= end) return 0;
  os::Conflict conflict;
  const int error = os::query_lock(fd, os::Owner::description, against, {low, end - low}, conflict);
  if (error != 0 || !conflict.found) return error;
  const std::int64_t behind =
      conflict.bytes.length == 0 ? end : conflict.bytes.start + conflict.bytes.length;
  to.found = true;
  to.start = conflict.bytes.start > low ? conflict.bytes.start : low;
  to.end = behind < end ? behind : end;
  to.lock = conflict;
  return 0;
}

}  // namespace

int first_locked(int fd, std::int64_t low, std::int64_t end, Run& to, os::LockKind against) {
  if (const int error = any_locked(fd, low, end, to, against)) return error;
  while (to.found && to.start > low) {
    Run earlier;
    if (const int error = any_locked(fd, low, to.start, earlier, against)) return error;
    if (!earlier.found) break;
    to = earlier;
  }
  return 0;
}

int last_locked(int fd, std::int64_t low, std::int64_t end, Run& to, os::LockKind against) {
  to = {};
  std::int64_t from = end;
  for (std::int64_t span = 1; from > low && !to.found; span *= 2) {
    const std::int64_t until = from;
    from = end - low <= span ? low : end - span;
    if (const int error = any_locked(fd, from, until, to, against)) return error;
    if (span > 1 || to.found) continue;
    Run any;  // no neighbour: is any byte locked?
    if (const int error = any_locked(fd, low, from, any, against)) return error;
    if (!any.found) break;
  }
  while (to.found) {
    Run later;
    if (const int error = any_locked(fd, to.end, end, later, against)) return error;
    if (!later.found) break;
    to = later;
  }
  return 0;
}

namespace {

// This many doubtful slots are tried one by one before the search goes on behind the highest slot
// in use: enough that a handful of foreign holders do not make us take higher slots, few enough
// that thousands of them cost nothing.
constexpr std::uint32_t kPatientTries = 8;
// In a refusal, this many believed words are checked nevertheless, different ones each time.
constexpr std::uint32_t kSpotChecks = 4;

}  // namespace

os::Owner owner_for(const Request& request) {
  return request.exec && request.until == Until::close ? os::Owner::process
                                                       : os::Owner::description;
}

Status count_held(LockFile& file, std::uint32_t first, std::uint32_t last, std::uint32_t enough,
                  std::uint32_t& held) {
  held = 0;
  std::int64_t low = slot_byte(first);
  const std::int64_t end = slot_byte(last) + 1;
  while (low < end && held < enough) {
    Run run;
    if (const int error = first_locked(file.slot_fd(), low, end, run)) {
      return file.failure(Code::io, error, "cannot query locks");
    }
    if (!run.found) break;
    held += static_cast<std::uint32_t>(run.end - run.start);
    low = run.end;
  }
  return {};
}

void drop(LockFile& file, os::Owner owner, Reservation& reserved) {
  keep_lowest(0, file, owner, reserved);
  if (reserved.mode_held) os::unlock(file.slot_fd(), owner, {kModeByte, 1});
  reserved.mode_held = false;
}

void keep_lowest(std::uint32_t take, LockFile& file, os::Owner owner, Reservation& reserved) {
  while (reserved.count > take)
    os::unlock(file.slot_fd(), owner, {slot_byte(reserved.slots[--reserved.count]), 1});
}

bool may_have_room(const LockFile& file, const LockSpec& spec, WordBuffer& buffer) {
  constexpr std::uint32_t kMostAsked = 16;
  const auto locked = [&file](std::int64_t first, std::int64_t last) {
    os::Conflict conflict;
    const os::Bytes bytes = {first, last - first + 1};
    const int error = os::query_lock(file.slot_fd(), os::Owner::description, os::LockKind::write,
                                     bytes, conflict);
    return error == 0 && conflict.found;
  };
  if (spec.mode == Mode::exclusive) return !locked(kFirstSlotByte, kModeByte);
  std::uint32_t asked = 0;
  for (std::uint32_t first = 1; first <= spec.max; first += WordBuffer::kCapacity) {
    const std::uint32_t left = spec.max - first + 1;
    const std::uint32_t count = left < WordBuffer::kCapacity ? left : WordBuffer::kCapacity;
    if (spec.max > 1 && read_words(file.fd(), first, count, buffer.words) != 0) return true;
    for (std::uint32_t slot = first; slot < first + count; ++slot) {
      const Word word = spec.max > 1 ? buffer.words[slot - first] : Word{};
      if ((word.flags & kDrainedFlag) != 0 || (file.words_count() && word_lives(word))) continue;
      if (++asked > kMostAsked || !locked(slot_byte(slot), slot_byte(slot)))
        return !locked(kModeByte, kModeByte);
    }
  }
  return false;
}

bool Search::ours(std::uint32_t slot) const {
  for (std::uint32_t i = 0; i < to_.count; ++i) {
    if (to_.slots[i] == slot) return true;
  }
  return false;
}

bool Search::take(std::uint32_t slot) {
  if (ours(slot)) return true;
  if (leave_taken_over_) {
    os::Conflict taker;
    const os::Bytes byte = {takeover_byte(slot), 1};
    error_ = os::query_lock(file_.fd(), os::Owner::description, kOfTaker, byte, taker);
    if (error_ != 0 || taker.found) return error_ == 0;
  }
  const int error = file_.lock_slots(owner_, {slot_byte(slot), 1});
  if (error == 0) {
    to_.insert(slot);
    const bool word_read = slot >= words_first_ && slot < words_first_ + words_count_;
    if (word_read) to_.note(words_[slot - words_first_]);
    if (!word_read) to_.words_blank = false;
  } else if (error == EAGAIN) {
    const bool read = slot >= words_first_ && slot < words_first_ + words_count_;
    if (read && (words_[slot - words_first_].thread & os::kOwnerDied) != 0) to_.met_left = true;
    ++tried_in_vain_;
  } else {
    error_ = error;
    return false;
  }
  return true;
}

// Makes the word of `slot` available in words_.
bool Search::read_words_at(std::uint32_t slot) {
  if (slot >= words_first_ && slot < words_first_ + words_count_) return true;
  words_first_ = slot - (slot - 1) % WordBuffer::kCapacity;
  const std::uint32_t left = spec_.max - words_first_ + 1;
  words_count_ = left < WordBuffer::kCapacity ? left : WordBuffer::kCapacity;
  error_ = read_words(file_.fd(), words_first_, words_count_, words_);
  return error_ == 0;
}

bool Search::jump() {
  jumped_ = true;
  for (std::uint32_t slot = file_.indexed_slots() + 1; slot <= spec_.max && !enough(); ++slot) {
    const std::uint32_t before = tried_in_vain_;
    if (!read_words_at(slot)) return false;
    if ((words_[slot - words_first_].flags & kDrainedFlag) != 0) continue;
    if (!take(slot)) return false;
    if (tried_in_vain_ != before) break;
  }
  // The last callers took the highest slots, so the highest free slot is one that was released
  // since.
  const std::uint32_t top = file_.indexed_slots() < spec_.max ? file_.indexed_slots() : spec_.max;
  for (std::uint32_t looked = 0; looked < kPatientTries && looked < top && !enough(); ++looked) {
    const std::uint32_t slot = top - looked;
    if (!read_words_at(slot)) return false;
    if ((words_[slot - words_first_].flags & kDrainedFlag) == 0 && !take(slot)) return false;
  }
  return true;
}

bool Search::scan(std::uint32_t first, std::uint32_t last) {
  to_.drained = 0;
  const bool words_count = file_.words_count();
  for (std::uint32_t slot = first; slot <= last && !enough(); ++slot) {
    if (!read_words_at(slot)) return false;
    const Word& word = words_[slot - words_first_];
    if ((word.flags & kDrainedFlag) != 0) {
      ++to_.drained;
      continue;
    }
    if (believe_ && words_count && word_lives(word) && !ours(slot)) {
      ++believed_;
      continue;
    }
    if (!take(slot)) return false;
    if (tried_in_vain_ >= kPatientTries && !jumped_ && !jump()) return false;
  }
  return true;
}

// Queries the kernel about a few of the slots whose words were believed, spread over all of them
// (false words may be neighbours). If one is false, none is believed any more.
bool Search::spot_check() {
  if (believed_ == 0) return true;
  const std::uint32_t start = spec_.max <= kSpotChecks ? 0 : os::scatter() % spec_.max;
  const std::uint32_t stride = spec_.max < kSpotChecks ? 1 : spec_.max / kSpotChecks;
  std::uint32_t skip_to = 0;
  const std::uint32_t steps = spec_.max <= kSpotChecks ? spec_.max : kSpotChecks * stride;
  for (std::uint32_t step = 0; step < steps; ++step) {
    if (step < skip_to) continue;
    const std::uint32_t slot = (start + step) % spec_.max + 1;
    if (!read_words_at(slot)) return false;
    const Word& word = words_[slot - words_first_];
    if (!word_lives(word) || (word.flags & kDrainedFlag) != 0 || ours(slot)) continue;
    os::Conflict conflict;
    error_ = os::query_lock(file_.slot_fd(), owner_, os::LockKind::write, {slot_byte(slot), 1},
                            conflict);
    if (error_ != 0) return false;
    if (!conflict.found) {
      believe_ = false;
      return scan(1, spec_.max);
    }
    skip_to = (step / stride + 1) * stride;
  }
  return true;
}

Status Search::until(std::uint32_t wanted) {
  wanted_ = wanted;
  const bool searched = enough() || (scan(1, spec_.max) && (enough() || !believe_ || spot_check()));
  if (searched) return {};
  return file_.failure(Code::io, error_, "cannot lock a slot");
}

Status Search::without_taken_over(std::uint32_t wanted) {
  drop(file_, owner_, to_);
  leave_taken_over_ = true;
  return until(wanted);
}

}  // namespace atmost::local
