// LocalSession: a look at the locks, from the guards to the facts.
#include <cerrno>
#include <new>
#include <utility>

#include "listing.h"
#include "os/clock.h"
#include "session.h"

namespace atmost::local {
namespace {

// Looks that find a file replaced.
constexpr std::uint32_t kReopenTries = 16;

}  // namespace

Status LocalSession::look(const Attempt& attempt, rule::Looked& to) {
  moment_ = attempt.moment;
  way_ = Way::guarded;
  const bool reopened = std::exchange(reopened_, false);
  if (attempt.looks == 0) {
    if (reopened && guards_with_slot(attempt.queue)) {
      way_ = Way::together;
    } else if (attempt.queue == nullptr && request_->locks[0].max >= kManySlots && shows_full()) {
      way_ = Way::unguarded;
    }
  }
  if (way_ == Way::guarded) {
    if (Status guarded = open_and_guard(attempt, to); !guarded.ok()) return guarded;
    if (to.answered) return {};
  }
  see(attempt.queue, to);
  return {};
}

// Unless it is answered, all guards are held.
Status LocalSession::open_and_guard(const Attempt& attempt, rule::Looked& to) {
  for (std::uint32_t round = attempt.looks; round < kReopenTries; ++round) {
    if (Status opened = open_files(); !opened.ok()) return opened;
    std::uint32_t culprit = 0;
    const Result<LockFile::Guarded> guarded = guard_all(culprit);
    if (!guarded.ok()) return guarded.error();
    if (guarded.value() == LockFile::Guarded::held) return {};
    if (guarded.value() != LockFile::Guarded::replaced) {
      refuse_guard(guarded.value(), culprit, to);
      return {};
    }
    reopen(attempt.queue);
  }
  return entry(0).file.failure(Code::io, 0, "is replaced again and again");
}

// This also gives up our place in the queue of a file that has lost its name.
void LocalSession::reopen(Ticket* queue) {
  close_files();
  if (queue != nullptr) queue->drawn = false;
}

// Turns are measured by the clock, even if the caller gives a moment.
TurnClock LocalSession::turn_clock(const Instant& now) const {
  const bool other = request_->across ? now.given : request_->now_boot_ns != 0;
  const Instant at = other ? os::now() : now;
  return {at.boot_ns, request_->across ? at.real_ns : at.boot_ns};
}

void LocalSession::see(const Ticket* queue, rule::Looked& to) {
  to.now = moment_(*request_);
  const TurnClock clock = turn_clock(to.now);
  to.turns_boot_ns = clock.boot_ns;
  for (std::uint32_t i = 0; i < count_; ++i) {
    Entry& at = entry(i);
    at.reserved.clear();
    seen_facts_[i] =
        new (&at.facts.it) LocalFacts(at.file, rule::asker_of(*request_, queue, i), owner_, to.now,
                                      clock, room_.it, foreign_seen_, at.reserved);
    if (way_ != Way::guarded) at.facts.it.know_all();
  }
  if (way_ == Way::together) reserve_first();
  to.locks = {seen_facts_, count_};
}

}  // namespace atmost::local
