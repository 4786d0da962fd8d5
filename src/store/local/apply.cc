// LocalSession: writes what the rule has decided.
#include <cerrno>

#include "admissions.h"
#include "os/flock.h"
#include "queue.h"
#include "session.h"

namespace atmost::local {

Status LocalSession::apply(const rule::Plan& plan, const Instant& now, Ticket* queue,
                           rule::Applied& to) {
  // The ordinary way has the answer.
  to.changed = (way_ == Way::together && !plan.admits()) ||
               (way_ == Way::unguarded &&
                (plan.failed != nullptr || plan.decision.verdict != Verdict::busy));
  if (to.changed && way_ == Way::together) {
    entry(0).reserved.clear();
    entry(0).file.unlock_all();
  }
  if (to.changed || way_ == Way::unguarded) return {};
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
    const std::int64_t noted = entry(i).facts.it.turns_noted();
    if (noted == 0) continue;
    const std::int64_t now = turn_clock(moment_(*request_)).record_ns;
    local::confirm_turns(entry(i).file, queue_of(request_->locks[i]), noted, now);
    if (request_->locks[i].mode == Mode::plain)
      local::confirm_turns(entry(i).file, kModeQueue, noted, now);
  }
}

void LocalSession::drop_flock(std::uint32_t lock) {
  if (entry(lock).facts.it.flocked()) (void)os::drop_flock(entry(lock).file.slot_fd());
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
    LocalFacts& facts = entry(i).facts.it;
    if (!facts.plan.changed) continue;
    LockFile& file = entry(i).file;
    if (facts.plan.mends) mend_admissions(file, now);
    put_state(facts.state(), facts.plan.state, file);
    if (Status saved = file.save_header(); !saved.ok()) return saved;
  }
  if (queue == nullptr) return {};
  const bool later = plan.due_boot_ns > queue->due_boot_ns;
  queue->due_boot_ns = plan.due_boot_ns;
  queue->claims_in = plan.claims_in;
  if (plan.step == rule::QueueStep::draw) {
    if (Status drawn = draw_tickets(now, *queue); !drawn.ok()) return drawn;
  } else if (plan.place_changed) {
    for (std::uint32_t i = 0; i < count_; ++i)
      note_place(entry(i).file, queue_of(request_->locks[i]), queue->numbers[i],
                 place_in(i, *queue, now));
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
    Status drawn = draw_ticket(entry(i).file, request_->locks[i], *request_, now,
                               place_in(i, queue, now), queue.numbers[i]);
    if (drawn.ok()) continue;
    for (std::uint32_t j = 0; j < i; ++j)
      give_up_ticket(entry(j).file, request_->locks[j], queue.numbers[j]);
    return drawn;
  }
  queue.drawn = true;
  position_.it = {};
  position_.it.lock = queue.claims_in;
  return {};
}

void LocalSession::leave_queue(Ticket& ticket) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (entry(i).file.present())
      give_up_ticket(entry(i).file, request_->locks[i], ticket.numbers[i]);
  }
  call_successor(ticket, false);
  position_.it = {};
  ticket = {};
}

}  // namespace atmost::local
