// LocalSession: a hold, from what its admission writes to its end.

#include "listing.h"
#include "os/clock.h"
#include "os/futex.h"
#include "os/self.h"
#include "places.h"
#include "proof.h"
#include "roll.h"
#include "session.h"

namespace atmost::local {
namespace {

void clear_revocation(int fd, std::uint32_t slot) {
  Word word;
  if (read_words(fd, slot, 1, &word) == 0 && (word.flags & kRevokedFlag) != 0) {
    (void)write_flags(fd, slot, word.flags & ~kRevokedFlag);
  }
}

}  // namespace

Status LocalSession::commit(const Instant& now, Ticket* queue) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (Status admitted = admit_to(i, now); !admitted.ok()) {
      take_back(i + 1);
      return admitted;
    }
  }
  for (std::uint32_t i = 0; i < count_; ++i) write_hints(i, now);
  // Other machines see no write, so their waiters have this byte alone to be woken by.
  const bool came_from_queue = queue != nullptr && queue->drawn;
  if ((came_from_queue || entry(0).file.identity().across) && waits_for_handover()) {
    (void)os::try_lock(entry(0).file.slot_fd(), owner_, os::LockKind::write, {kHandoverByte, 1});
  }
  // A waiter that this wakes finds the byte above locked.
  for (std::uint32_t i = 0; request_->keep_place_ms > 0 && i < count_; ++i)
    drop_place(entry(i).file, *request_, came_from_queue ? queue->numbers[i] : 0);
  if (came_from_queue) leave_queue(*queue);
  for (std::uint32_t i = 0; i < count_; ++i) entry(i).file.close_bells();
  if (watch_.started()) watch_.rest();
  for (std::uint32_t i = 0; keeps_ && i < count_; ++i) entry(i).file.expose();
  return {};
}

// The admission failed, so no interval must count from it. Failures to write are ignored.
void LocalSession::take_back(std::uint32_t count) {
  for (std::uint32_t i = 0; i < count && !request_->foreign_format; ++i) {
    if (!entry(i).header_changed) continue;
    LocalFacts& facts = *entry(i).facts;
    (void)save_state(facts.plan.state, facts.state(), entry(i).file);
  }
}

// Writes what an admission requires: the index for foreign callers, the header for the next atmost
// callers.
Status LocalSession::admit_to(std::uint32_t lock, const Instant& now) {
  Entry& to = entry(lock);
  LocalFacts& facts = *to.facts;
  const rule::LockPlan& plan = facts.plan;
  HeldLock& mine = held(lock);
  const Reservation& reserved = to.reserved;
  to.header_changed = false;
  keep_lowest(plan.take, to.file, owner_, to.reserved);
  if (Status raised = to.file.raise_index(reserved.slots[reserved.count - 1]); !raised.ok())
    return raised;
  to.file.lend();
  mine.fd = to.file.slot_fd();
  mine.token = 0;
  mine.limit = to.limited ? &to.limit : nullptr;
  mine.count = reserved.count;
  mine.vanished_count = 0;
  mine.was_empty = to.file.was_empty() && to.file.state() == HeaderState::fresh;
  // A hold without a proof is valid, but no process can take it over.
  if (owner_ == os::Owner::description && to.file.several_may_write())
    (void)leave_proof(to.file, mine.slots, mine.count);
  if (request_->foreign_format) return {};
  to.header_changed = true;
  to.admitted = now;
  for (std::uint32_t i = 0; i < plan.appended_count; ++i) {
    const std::uint64_t number = facts.state().recorded + i;
    if (Status kept = append_admission(to.file, number, plan.appended[i]); !kept.ok()) return kept;
  }
  if (facts.nobody_waits()) to.file.header().served_ticket = to.file.header().ticket;
  mine.token = plan.state.token;
  // The record of an earlier holder that was killed is read first (note_vanished()).
  to.first_recorded = mine.slots[0] == 1 && !reserved.met_dead;
  if (!to.first_recorded) return save_state(facts.state(), plan.state, to.file);
  Record first =
      make_record(*request_, 1, mine.token, now, to.file.identity(), to.file.user(), max_runtime_);
  return save_state(facts.state(), plan.state, to.file, &first);
}

// Notes runs that recorded no end, before our words and records overwrite theirs. Called only where
// the search met such a word, so that an admission after an orderly end reads nothing extra.
void LocalSession::note_vanished(std::uint32_t lock) {
  HeldLock& mine = held(lock);
  const int fd = entry(lock).file.fd();
  for (std::uint32_t i = 0; i < mine.count && mine.vanished_count < kMostVanished; ++i) {
    const std::uint32_t slot = mine.slots[i];
    Word word;
    Record record;
    if (read_words(fd, slot, 1, &word) != 0 || (word.thread & os::kOwnerDied) == 0) continue;
    if (!read_record(fd, slot, record) || record.token == 0) continue;
    const std::uint32_t count = mine.vanished_count;
    if (count > 0 && mine.vanished[count - 1].token == record.token)
      continue;  // one run, with several slots
    mine.vanished[mine.vanished_count++] = {slot, record.pid, record.token};
  }
}

// A process has one registration, so only the first lock's words show a living supervisor. With
// exec the registration would end at once, and a keeper may be a child of the process that is
// admitted here. Returns how many words, from the front, are registered.
std::uint32_t LocalSession::register_words(std::uint32_t lock) {
  const bool stays =
      request_->kind == HolderKind::supervised && !request_->exec && request_->kept_for == 0;
  const LockFile& file = entry(lock).file;
  const HeldLock& mine = held(lock);
  if (lock != 0 || !stays || file.identity().boot == 0 || file.identity().across) return 0;
  std::uint32_t indices[kMaxTake];
  for (std::uint32_t i = 0; i < mine.count; ++i) indices[i] = mine.slots[i] - 1;
  return os::register_words(file.fd(), kWordsAt, indices, mine.count);
}

// Writes the hints that shorten later searches and fill listings: failures (a full disk) cost no
// more than that.
void LocalSession::write_hints(std::uint32_t lock, const Instant& now) {
  if (request_->foreign_format) return;
  Entry& to = entry(lock);
  const HeldLock& mine = held(lock);
  const int fd = to.file.fd();
  if (to.reserved.met_dead) note_vanished(lock);
  for (std::uint32_t i = to.first_recorded ? 1 : 0; i < mine.count; ++i) {
    Record record = make_record(*request_, mine.slots[i], mine.token, now, to.file.identity(),
                                to.file.user(), max_runtime_);
    (void)write_record(fd, record);
  }
  const std::uint32_t registered = register_words(lock);
  to.words_registered = registered > 0;
  if (to.reserved.words_blank && registered == 0) return;
  if (request_->kind == HolderKind::library) {
    // A taker's note to a library that held the slot before is not for us.
    for (std::uint32_t i = 0; i < mine.count; ++i) clear_revocation(fd, mine.slots[i]);
  }
  const std::uint32_t self = registered > 0 ? os::thread_id() : 0;
  for (std::uint32_t i = 0; i < mine.count; ++i) {
    (void)write_word(fd, mine.slots[i], i < registered ? self : 0);
  }
}

// True if a taker has locked the byte that belongs to some slot of the hold.
bool LocalSession::is_locked_beside(std::uint32_t lock,
                                    std::int64_t (*byte_of)(std::uint32_t)) const {
  const HeldLock& mine = held(lock);
  for (std::uint32_t i = 0; i < mine.count; ++i) {
    os::Conflict other;
    const os::Bytes byte = {byte_of(mine.slots[i]), 1};
    const int error =
        os::query_lock(entry(lock).file.fd(), os::Owner::description, kOfTaker, byte, other);
    if (error == 0 && other.found) return true;
  }
  return false;
}

Contest LocalSession::contested(std::uint32_t lock) const {
  const bool across = entry(lock).file.identity().across;
  if (!is_locked_beside(lock, across ? ask_byte : takeover_byte)) return Contest::none;
  return is_locked_beside(lock, kill_byte) ? Contest::by_kill : Contest::for_its_place;
}

Instant LocalSession::admitted_at() const {
  const Instant& decided_with = entry(0).admitted;
  return decided_with.given || request_->now_boot_ns != 0 ? os::now() : decided_with;
}

Upkeep LocalSession::upkeep(About what, std::uint32_t lock) const {
  Upkeep known;
  if (what == About::contest) known.contest = contested(lock);
  if (what == About::place) known.in_place = !entry(lock).file.displaced();
  return known;
}

bool LocalSession::revoked(os::Watch& watch) const {
  const bool started = watch.started();
  for (std::uint32_t lock = 0; lock < count_; ++lock) {
    if (!started) watch.start(entry(lock).file.path());
    const HeldLock& mine = held(lock);
    for (std::uint32_t i = 0; i < mine.count; ++i) {
      Word word;
      if (read_words(mine.fd, mine.slots[i], 1, &word) == 0 && (word.flags & kRevokedFlag) != 0)
        return true;
    }
  }
  return false;
}

void LocalSession::release(const End& how) {
  bool orderly = true;
  for (std::uint32_t i = 0; i < count_; ++i) orderly = release_one(i, how) && orderly;
  kept_ = keeps_ && orderly && count_ == 1 && entry(0).file.may_stay_open();
  if (kept_) {
    entry(0).reserved.clear();
    entry(0).file.close_bells();
    entry(0).file.keep_path(kept_path_.it);
    watch_.stop();
  } else {
    close_files();
  }
}

// This write wakes the waiters. False when a word could not be cleared.
bool LocalSession::clear_own_words(std::uint32_t lock) {
  bool cleared = true;
  for (std::uint32_t i = 0; i < held(lock).count; ++i) {
    cleared = write_word(entry(lock).file.fd(), held(lock).slots[i], 0) == 0 && cleared;
  }
  return cleared;
}

// Unlocks the slots, and the byte beside them that the next waiter is blocked on.
void LocalSession::let_go(Entry& entry) {
  drop(entry.file, owner_, entry.reserved);
  os::unlock(entry.file.slot_fd(), owner_, {kHandoverByte, 1});
}

void LocalSession::learn_from_run(std::uint32_t lock, const Lesson& lesson) {
  if (lesson.how == nullptr) return;
  const Entry& from = entry(lock);
  RunSample sample = lesson.sample;
  sample.asked_real_ns = sample.started_real_ns = from.admitted.real_ns;
  const bool suspicious = memorize(from.file.fd(), from.file.path(), making_, lesson.how, sample);
  if (suspicious && lesson.suspicious != nullptr) *lesson.suspicious |= 1u << lock;
}

bool LocalSession::release_one(std::uint32_t lock, const End& how) {
  Entry& from = entry(lock);
  const Result<LockFile::Guarded> guarded = from.file.guard_wherever();
  // Without the guard (its holder is stopped) the slot is freed nevertheless. A newcomer's word may
  // then be cleared with ours; its slot is then tried instead of skipped.
  const bool orderly = guarded.ok() && guarded.value() == LockFile::Guarded::held;
  const bool hints = held(lock).token != 0;
  const Header& before = from.file.header();
  const bool awaited = orderly && before.ticket != before.served_ticket;
  bool woken = false;  // a write that wakes the waiters was made
  // With the guard, a waiter that our word wakes finds the slot free; without it, the slot has to
  // be free before.
  if (request_->with_flock) drop_flock(lock);
  if (!orderly) let_go(from);
  if (hints && orderly) {
    const rule::State last = state_of(from.file);
    rule::State state = last;
    if (rule::finish(state, from.facts->plan.held, how.ending, how.now)) {
      woken = save_state(last, state, from.file).ok();
    }
    if (is_finish(how.ending)) learn_from_run(lock, how.lesson);
  }
  const bool blank = from.reserved.words_blank && !from.words_registered;
  const bool cleared = hints && ((woken && blank) || clear_own_words(lock));
  if (orderly && owner_ == os::Owner::description) {
    from.file.unlock_all(awaited);
    from.reserved.count = 0;
    from.reserved.mode_held = false;
  } else if (orderly) {
    let_go(from);
  }
  // Comes last, and only if all our words are cleared: otherwise the kernel marks the remaining
  // ones as died when we end, in whatever way.
  if (cleared && from.words_registered) os::forget_words();
  from.words_registered = false;
  from.file.unguard();
  if (awaited) wake_queues(from.file, os::boot_ns());
  return orderly;
}

}  // namespace atmost::local
