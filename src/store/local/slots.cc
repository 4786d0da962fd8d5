#include "slots.h"

#include <cerrno>

#include "os/self.h"
#include "queue.h"
#include "ranges.h"

namespace atmost::local {
namespace {

// So many doubtful slots are tried one by one before looking behind the highest slot in use: enough that a handful of
// foreign holders do not push us up, few enough that thousands of them cost nothing.
constexpr std::uint32_t kPatientTries = 8;
// Words believed in a refusal that are asked nevertheless, other ones each time.
constexpr std::uint32_t kSpotChecks = 4;

class Search {
 public:
  Search(LockFile& file, const LockSpec& spec, os::Owner owner, WordBuffer& buffer, Reservation& to)
      : file_(file), spec_(spec), owner_(owner), words_(buffer.words), to_(to) {}

  // Reserves until `wanted` slots are ours or every slot up to N is known to be held or drained.
  Status until(std::uint32_t wanted);
  // The same anew, without the slots that somebody is just taking over: those are for the head of the queue, else
  // for the taker, not for a newcomer.
  Status without_taken_over(std::uint32_t wanted);

 private:
  // False when a call failed: error_ says why.
  bool take(std::uint32_t slot);
  bool scan(std::uint32_t first, std::uint32_t last);
  bool jump();
  bool spot_check();
  bool read_words_at(std::uint32_t slot);
  bool enough() const { return to_.count >= wanted_; }
  bool ours(std::uint32_t slot) const;

  LockFile& file_;
  const LockSpec& spec_;
  os::Owner owner_;
  Word* words_;  // of slots words_first_ … words_first_ + words_count_ − 1
  Reservation& to_;
  std::uint32_t wanted_ = 0;
  std::uint32_t tried_in_vain_ = 0;
  std::uint32_t believed_ = 0;  // slots passed over because a word vouched for them
  bool believe_ = true;
  bool leave_taken_over_ = false;
  bool jumped_ = false;
  std::uint32_t words_first_ = 0;
  std::uint32_t words_count_ = 0;
  int error_ = 0;
};

void insert(Reservation& to, std::uint32_t slot) {
  std::uint32_t at = to.count++;
  for (; at > 0 && to.slots[at - 1] > slot; --at) to.slots[at] = to.slots[at - 1];
  to.slots[at] = slot;
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
    error_ = os::query_lock(file_.fd(), os::Owner::description, os::Hold::write, byte, taker);
    if (error_ != 0 || taker.found) return error_ == 0;
  }
  const int error = os::try_lock(file_.fd(), owner_, os::Hold::write, {slot_byte(slot), 1});
  if (error == 0) {
    insert(to_, slot);
  } else if (error == EAGAIN) {
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
  // Those that came last took the highest slots, and the highest free one is the one nobody has come for since.
  const std::uint32_t top = file_.indexed_slots() < spec_.max ? file_.indexed_slots() : spec_.max;
  for (std::uint32_t looked = 0; looked < kPatientTries && looked < top && !enough(); ++looked) {
    const std::uint32_t slot = top - looked;
    if (!read_words_at(slot)) return false;
    if ((words_[slot - words_first_].flags & kDrainedFlag) == 0 && !take(slot)) return false;
  }
  return true;
}

bool Search::scan(std::uint32_t first, std::uint32_t last) {
  const bool words_count = file_.words_count();
  for (std::uint32_t slot = first; slot <= last && !enough(); ++slot) {
    if (!read_words_at(slot)) return false;
    const Word& word = words_[slot - words_first_];
    if ((word.flags & kDrainedFlag) != 0) {
      to_.some_drained = true;
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

// Asks the kernel about a few of the slots whose words were believed, spread over all of them (lies may be
// neighbours). One lie, and none is believed any more.
bool Search::spot_check() {
  if (believed_ == 0) return true;
  const std::uint32_t start = os::scatter() % spec_.max;
  const std::uint32_t stride = spec_.max < kSpotChecks ? 1 : spec_.max / kSpotChecks;
  std::uint32_t skip_to = 0;
  for (std::uint32_t step = 0; step < kSpotChecks * stride; ++step) {
    if (step < skip_to) continue;
    const std::uint32_t slot = (start + step) % spec_.max + 1;
    if (!read_words_at(slot)) return false;
    const Word& word = words_[slot - words_first_];
    if (!word_lives(word) || (word.flags & kDrainedFlag) != 0 || ours(slot)) continue;
    os::Conflict conflict;
    error_ = os::query_lock(file_.fd(), owner_, os::Hold::write, {slot_byte(slot), 1}, conflict);
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

// An exclusive caller needs the whole range to itself; it holds slot 1 and the mode byte.
Status reserve_exclusive(LockFile& file, os::Owner owner, Reservation& to) {
  os::Conflict conflict;
  const os::Bytes everything = {kFirstSlotByte, kModeByte + 1 - kFirstSlotByte};
  int error = os::query_lock(file.fd(), owner, os::Hold::write, everything, conflict);
  if (error == 0 && !conflict.found) {
    error = os::try_lock(file.fd(), owner, os::Hold::write, {slot_byte(1), 1});
    if (error == 0) {
      insert(to, 1);
      error = os::try_lock(file.fd(), owner, os::Hold::write, {kModeByte, 1});
      to.mode_held = error == 0;
    }
  }
  if (error != 0 && error != EAGAIN) return file.failure(Code::io, error, "cannot lock a slot");
  to.room = to.mode_held;
  if (to.room) return {};
  Count count;
  Status counted = count_held(file, 1, kMaxSlots, kMaxSlots, count);
  to.held = count.held;
  return counted;
}

// What one query over everything behind the last slot found in the way, asked for one by one.
struct Beyond {
  std::uint32_t held = 0;  // slots above N
  bool exclusive = false;
};

Status look_beyond(LockFile& file, const LockSpec& spec, Reservation& to, Beyond& beyond) {
  os::Conflict conflict;
  const auto ask = [&](std::int64_t start, std::int64_t length, bool& found) {
    const int error =
        os::query_lock(file.fd(), os::Owner::description, os::Hold::write, {start, length}, conflict);
    found = conflict.found;
    return error;
  };
  bool above = false;
  int error = ask(slot_byte(spec.max) + 1, kMaxSlots - spec.max, above);
  if (error == 0) error = ask(kModeByte, 1, beyond.exclusive);
  if (error == 0) error = ask(kTakeoverBase, kMaxSlots, to.takeover_running);
  if (error == 0) error = ask(kJoinByte, 1, to.joiner_waiting);
  if (error != 0) return file.failure(Code::io, error, "cannot query locks");
  if (!above) return {};
  Count count;
  Status counted = count_held(file, spec.max + 1, kMaxSlots, spec.max, count);
  beyond.held = count.held;
  return counted;
}

}  // namespace

os::Owner owner_for(const Request& request) {
  return request.exec && request.until == Until::close ? os::Owner::process : os::Owner::description;
}

Status count_held(LockFile& file, std::uint32_t first, std::uint32_t last, std::uint32_t enough, Count& to) {
  std::int64_t low = slot_byte(first);
  const std::int64_t end = slot_byte(last) + 1;
  while (low < end && to.held < enough) {
    Run run;
    if (const int error = first_locked(file.fd(), low, end, run)) {
      return file.failure(Code::io, error, "cannot query locks");
    }
    if (!run.found) break;
    to.held += static_cast<std::uint32_t>(run.end - run.start);
    to.highest = slot_of(run.end - 1);
    low = run.end;
  }
  return {};
}

void drop(LockFile& file, os::Owner owner, Reservation& reserved) {
  for (std::uint32_t i = 0; i < reserved.count; ++i)
    os::unlock(file.fd(), owner, {slot_byte(reserved.slots[i]), 1});
  if (reserved.mode_held) os::unlock(file.fd(), owner, {kModeByte, 1});
  reserved.count = 0;
  reserved.mode_held = false;
}

namespace {

// Whether the free slots suffice for us and for everybody who has waited longer.
Status settle_claims(LockFile& file, const LockSpec& spec, const Seeker& seeker, Search& search,
                     Reservation& to) {
  Claims claims;
  if (Status found = claims_before(file, queue_of(spec), seeker.ticket, spec.max, claims); !found.ok())
    return found;
  if (spec.mode ==
      Mode::plain) {  // a plain caller counts as a reader: a writer that has waited longer goes first
    Claims readers_and_writers;
    Status found = claims_before(file, kModeQueue, seeker.ticket, kMaxSlots, readers_and_writers);
    if (!found.ok()) return found;
    claims.writers = readers_and_writers.writers;
  }
  if (claims.waiters + claims.writers == 0) return {};
  const std::uint32_t wanted = spec.take + claims.slots;
  if (to.held + wanted <= spec.max && wanted <= kMaxTake && claims.writers == 0) {
    if (Status more = search.until(wanted); !more.ok()) return more;
    if (to.count >= wanted) return {};
  }
  to.waiters_ahead = claims.waiters > 0 ? claims.waiters : claims.writers;
  return {};
}

void give_back_extra(LockFile& file, os::Owner owner, std::uint32_t take, Reservation& to) {
  while (to.count > take) os::unlock(file.fd(), owner, {slot_byte(to.slots[--to.count]), 1});
}

Status reserve_some(LockFile& file, const LockSpec& spec, os::Owner owner, const Seeker& seeker,
                    WordBuffer& buffer, Reservation& to) {
  Search search(file, spec, owner, buffer, to);
  if (Status searched = search.until(spec.take); !searched.ok()) return searched;
  os::Conflict conflict;
  const std::int64_t behind = slot_byte(spec.max) + 1;
  if (const int error =
          os::query_lock(file.fd(), os::Owner::description, os::Hold::write, {behind, 0}, conflict)) {
    return file.failure(Code::io, error, "cannot query locks");
  }
  if (!conflict.found) {  // nobody above N, no exclusive holder, no takeover, no waiter anywhere
    to.room = to.count >= spec.take;
    to.held = to.room ? 0 : spec.max - to.count;
    return {};
  }
  Beyond beyond;
  if (Status looked = look_beyond(file, spec, to, beyond); !looked.ok()) return looked;
  if (to.takeover_running && seeker.ticket == 0) {
    if (Status searched = search.without_taken_over(spec.take); !searched.ok()) return searched;
  }
  to.room = to.count >= spec.take && !beyond.exclusive;
  if (to.count < spec.take) to.held = spec.max - to.count;
  if (to.room && beyond.held > 0) {
    Count below;
    if (Status counted = count_held(file, 1, spec.max, spec.max, below); !counted.ok()) return counted;
    // A query by description sees what this process locked as one; where there is one kind only, it does not.
    const bool strangers = owner == os::Owner::process && os::has_description_locks();
    const std::uint32_t own = strangers ? to.count : 0;
    to.held = below.held - own + beyond.held;
    to.room = to.held + spec.take <= spec.max;
  }
  return to.room ? settle_claims(file, spec, seeker, search, to) : Status{};
}

}  // namespace

Status reserve(LockFile& file, const LockSpec& spec, os::Owner owner, const Seeker& seeker,
               WordBuffer& buffer, Reservation& to) {
  Status reserved;
  if (spec.mode == Mode::exclusive) {
    reserved = reserve_exclusive(file, owner, to);
    Claims claims;
    if (reserved.ok() && to.room) reserved = claims_before(file, kModeQueue, seeker.ticket, 1, claims);
    to.waiters_ahead = claims.waiters;
  } else {
    reserved = reserve_some(file, spec, owner, seeker, buffer, to);
  }
  if (!reserved.ok()) {
    drop(file, owner, to);
    return reserved;
  }
  give_back_extra(file, owner, spec.take, to);
  return {};
}

}  // namespace atmost::local
