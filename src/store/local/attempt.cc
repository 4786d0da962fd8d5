// LocalSession: an attempt, from the guards to what is written of the decision.
#include <cerrno>

#include "listing.h"
#include "os/clock.h"
#include "os/locks.h"
#include "os/process.h"
#include "os/self.h"
#include "places.h"
#include "queue.h"
#include "session.h"

namespace atmost::local {
namespace {

// Looks that find a file replaced.
constexpr std::uint32_t kReopenTries = 16;

}  // namespace

Status LocalSession::look(const Attempt& attempt, rule::Looked& to) {
  moment_ = attempt.moment;
  Status looked = open_and_guard(attempt, to);
  if (!looked.ok() || to.answered) return looked;
  bool limits = request_->variable_count > 0;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const LockSpec& own = request_->locks[i];
    limits = limits || entry(i).limited || entry(i).file.has_limit() || own.take > own.max;
  }
  if (limits) looked = obey_limits(attempt.queue);
  if (looked.ok()) {
    see(attempt.queue, to);
  } else {
    unguard_all();
  }
  return looked;
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

// The guard cannot be had, or another program's lock is in the way (docs/internals/lock-map.md,
// "Foreign locks").
void LocalSession::refuse_guard(LockFile::Guarded found, std::uint32_t culprit, rule::Looked& to) {
  const LockFile& file = entry(culprit).file;
  Decision& answer = to.refuse(Why::guard);
  answer.lock = culprit;
  if (found == LockFile::Guarded::timeout) {
    // That looks at every process. A caller that does not wait for the guard asks again, and
    // learns it then.
    if (blocking_ != os::Blocking::never) answer.culprit = guard_holder(file);
    return;
  }
  // Without the guard nothing but the foreign lock is known.
  os::Conflict conflict;
  (void)os::query_lock(file.fd(), os::Owner::description, os::LockKind::write, kGuard, conflict);
  const rule::Foreign foreign = foreign_of(file, conflict, foreign_seen_);
  answer.why = foreign.own_tree ? Why::ancestor : Why::foreign;
  answer.foreign_whole = foreign.whole;
  answer.culprit = foreign.pid;
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
    rule::Asker asker = rule::asker_of(*request_, queue, i);
    asker.lock = &spec_of(i);
    LocalFacts& facts = at.facts.emplace(at.file, asker, owner_, to.now, clock, room_.it,
                                         foreign_seen_, at.reserved);
    if (at.limited) {
      facts.limit = &at.limit;
      facts.limited = &at.spec;
    }
    seen_facts_[i] = &facts;
  }
  to.locks = {seen_facts_, count_};
}

Status LocalSession::apply(const rule::Plan& plan, const Instant& now, Ticket* queue,
                           rule::Applied& to) {
  Status done = plan.failed != nullptr ? *plan.failed : write(plan, now, queue);
  if (!done.ok()) drop_all();
  unguard_all();
  // The file was replaced since the guard was taken.
  to.changed = !done.ok() && done.error().sys == ESTALE;
  if (to.changed) {
    reopen(queue);
    return {};
  }
  confirm_turns();
  if (plan.admits()) to.held = held_.it;
  return done;
}

Status LocalSession::write(const rule::Plan& plan, const Instant& now, Ticket* queue) {
  const Duration max_runtime = request_->max_runtime;
  max_runtime_ = request_->max_runtime_auto ? plan.decision.limits.max_runtime : max_runtime;
  if (plan.admits()) return commit(now, queue);
  Status done = after_refusal(plan, now, queue);
  // Holders end without the guard: of a full lock, what the decision has counted stands.
  const bool counted = plan.decision.why == Why::no_slot && !plan.decision.some_drained;
  if (done.ok() && request_->foreign_format && !counted)
    done = count_held(entry(plan.decision.lock).file, 1, kMaxSlots, kMaxSlots, plan.decision.held);
  return done;
}

// Others can decide now. If we were paused with the guard, the moment is too late, and the turns
// that we noted do not count.
void LocalSession::confirm_turns() {
  for (std::uint32_t i = 0; i < count_; ++i) {
    const std::int64_t noted = entry(i).facts->turns_noted();
    if (noted == 0) continue;
    const std::int64_t now = turn_clock(moment_(*request_)).record_ns;
    local::confirm_turns(entry(i).file, queue_of(spec_of(i)), noted, now);
    if (spec_of(i).mode == Mode::plain) local::confirm_turns(entry(i).file, kModeQueue, noted, now);
  }
}

void LocalSession::drop_flock(std::uint32_t lock) {
  if (entry(lock).facts->flocked()) (void)os::drop_flock(entry(lock).file.slot_fd());
}

void LocalSession::drop_all() {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (request_->with_flock) drop_flock(i);
    drop(entry(i).file, owner_, entry(i).reserved);
  }
}

Status LocalSession::after_refusal(const rule::Plan& plan, const Instant& now, Ticket* queue) {
  drop_all();
  for (std::uint32_t i = 0; i < plan.lock_count; ++i) {
    LocalFacts& facts = *entry(i).facts;
    if (!facts.plan.changed) continue;
    LockFile& file = entry(i).file;
    if (facts.plan.mends) mend_admissions(file, now);
    if (Status saved = save_state(facts.state(), facts.plan.state, file); !saved.ok()) return saved;
  }
  if (queue == nullptr) return {};
  const bool later = plan.due_boot_ns > queue->due_boot_ns;
  queue->due_boot_ns = plan.due_boot_ns;
  queue->claims_in = plan.claims_in;
  if (plan.step == rule::QueueStep::draw) {
    if (Status drawn = draw_tickets(now, *queue); !drawn.ok()) return drawn;
  } else if (plan.place_changed) {
    for (std::uint32_t i = 0; i < count_; ++i)
      note_place(entry(i).file, queue_of(spec_of(i)), queue->numbers[i], place_in(i, *queue, now));
  }
  if (!queue->drawn) return {};
  settle_position(*queue);
  // Those behind us that may come earlier need not wait for us.
  if (later && plan.place_changed) call_successor(*queue, true);
  return {};
}

PlaceNote LocalSession::place_in(std::uint32_t lock, const Ticket& ticket,
                                 const Instant& now) const {
  return {turn_clock(now).to_record(ticket.due_boot_ns), lock != ticket.claims_in};
}

Status LocalSession::draw_tickets(const Instant& now, Ticket& queue) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    Status drawn = draw_ticket(entry(i).file, spec_of(i), *request_, now, place_in(i, queue, now),
                               queue.numbers[i]);
    if (drawn.ok()) continue;
    for (std::uint32_t j = 0; j < i; ++j)
      give_up_ticket(entry(j).file, spec_of(j), queue.numbers[j]);
    return drawn;
  }
  queue.drawn = true;
  position_ = {};
  position_.lock = queue.claims_in;
  return {};
}

// While we wait: a waiter that is killed has no time to keep its place.
void LocalSession::keep_places(const Ticket& ticket) {
  const std::int64_t now = os::boot_ns();
  if (position_.kept_ns != 0 && now - position_.kept_ns < keep_of(*request_).ns / 4) return;
  position_.kept_ns = now;
  for (std::uint32_t i = 0; i < count_; ++i)
    refresh_place(entry(i).file, spec_of(i), *request_, ticket.numbers[i]);
}

// Before we leave the queue without an admission.
void LocalSession::leave_place(Ticket& ticket) {
  const std::int64_t until = plus(os::boot_ns(), keep_of(*request_));
  for (std::uint32_t i = 0; i < count_; ++i) {
    LockFile& file = entry(i).file;
    if (!file.present()) continue;
    if (ticket.gives_up) {
      drop_place(file, *request_, ticket.numbers[i]);
      continue;
    }
    const std::uint32_t queue = queue_of(spec_of(i));
    const bool kept = keep_place(file, *request_, queue, ticket.numbers[i], until);
    if (i == 0 && kept) count_places(file, queue, ticket.numbers[i], ticket.kept);
  }
}

void LocalSession::leave_queue(Ticket& ticket) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (entry(i).file.present()) give_up_ticket(entry(i).file, spec_of(i), ticket.numbers[i]);
  }
  call_successor(ticket, false);
  position_ = {};
  const KeptPlaceIn kept = ticket.kept;
  ticket = {};
  ticket.kept = kept;
}

}  // namespace atmost::local
