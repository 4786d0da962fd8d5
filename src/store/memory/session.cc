#include "session.h"

namespace atmost::memory {

void MemoryFacts::look(Lock& lock, const rule::Asker& asker, const MemorySession* session) {
  lock_ = &lock;
  std::uint32_t held = 0;
  std::uint32_t drained = 0;
  std::uint32_t taken_over = 0;
  rule::Table table;
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    const Slot& slot = lock.slots[i];
    if (slot.held) holders_[held++] = slot.holder;
    if (slot.drained) drained_[drained++] = i + 1;
    if (slot.stopper != nullptr && slot.stopper != session) taken_over_[taken_over++] = i + 1;
    table.writer = table.writer || (slot.held && slot.writes);
  }
  table.state = lock.state;
  table.holders = {holders_, held};
  table.drained = {drained_, drained};
  table.taken_over = {taken_over_, taken_over};
  table.places = {lock.places, lock.waiter_count};
  set(asker, table);
}

Stamp MemoryFacts::admission(std::uint32_t back) {
  return lock_->ring[(lock_->state.recorded - back) % kMaxRate];
}

void MemorySession::begin(Lock& lock, const Request& request) {
  lock_ = &lock;
  request_ = &request;
  asked_boot_ns_ = 0;
}

void MemorySession::end(const End& what) {
  if (what.of == End::Of::place) return leave(*what.ticket);
  if (what.of == End::Of::hold) return release(what.ending, what.now);
  leave(place_);
  release(Ending::unknown, {});  // a hold that was given away
  lock_ = nullptr;
}

Result<Edited> MemorySession::edit(std::uint32_t, const Edit& edit) {
  Lock& lock = *lock_;
  if (edit.slot > kSlots) return error_of(Code::usage, 0, "no such slot");
  Edited done;
  done.count = rule::edit(lock.state, edit);
  if (edit.what == Edit::What::drain && edit.slot > 0) lock.slots[edit.slot - 1].drained = true;
  if (edit.what == Edit::What::resume) {
    for (std::uint32_t i = 0; i < kSlots; ++i)
      lock.slots[i].drained = lock.slots[i].drained && edit.slot != 0 && edit.slot != i + 1;
  }
  if (edit.what == Edit::What::forget) lock.stats = {};
  if (edit.what == Edit::What::learn)
    done.suspicious = edit.how(lock.stats, lock.directory_stats, edit.sample);
  if (edit.what == Edit::What::recall) {
    *edit.lock = lock.stats;
    *edit.directory = lock.directory_stats;
    done.kept = StatsKept::kept;
  }
  return done;
}

Status MemorySession::look(const Attempt& attempt, rule::Looked& to) {
  to.now = attempt.moment(*request_);
  to.turns_boot_ns = asked_boot_ns_ = to.now.boot_ns;
  facts_.look(*lock_, rule::asker_of(*request_, attempt.queue, 0), this);
  to.locks = {&looked_, 1};
  return {};
}

Status MemorySession::apply(const rule::Plan& plan, const Instant& now, Ticket* queue,
                            rule::Applied& to) {
  const rule::LockPlan& ours = facts_.plan;
  for (std::uint32_t i = 0; i < lock_->waiter_count; ++i) {
    rule::Table::Queued& place = lock_->places[i];
    if (place.noted) place.waiter.turn_boot_ns = place.noted_boot_ns;
  }
  if (ours.mends) {
    for (Stamp& stamp : lock_->ring) (void)rule::mended(stamp, now);
  }
  const std::uint64_t recorded = lock_->state.recorded;
  for (std::uint32_t i = 0; i < ours.appended_count; ++i)
    lock_->ring[(recorded + i) % kMaxRate] = ours.appended[i];
  if (ours.changed) lock_->state = ours.state;
  if (plan.admits()) {
    hold(ours, now);
    to.held = &held_;
  }
  return queue != nullptr ? place(plan, now, *queue) : Status{};
}

Status MemorySession::place(const rule::Plan& plan, const Instant& now, Ticket& queue) {
  if (plan.step == rule::QueueStep::leave) {
    leave(queue);
    return {};
  }
  queue.due_boot_ns = plan.due_boot_ns;
  queue.claims_in = plan.claims_in;
  if (plan.step == rule::QueueStep::draw) return draw(now, queue);
  if (plan.place_changed) describe(lock_->places[position_of(queue.numbers[0])].waiter, queue);
  return {};
}

void MemorySession::describe(rule::Waiter& waiter, const Ticket& ticket) {
  waiter.due_boot_ns = ticket.due_boot_ns;
  waiter.parked = ticket.claims_in != 0;
}

void MemorySession::hold(const rule::LockPlan& plan, const Instant& now) {
  before_ = plan.held;
  held_.token = plan.held.token;
  held_.count = 0;
  for (const std::uint32_t number : facts_.reserved().first(plan.take)) {
    Slot& slot = lock_->slots[number - 1];
    slot.held = true;
    slot.writes = request_->locks[0].mode == Mode::exclusive;
    slot.holder = {};
    slot.holder.slot = number;
    slot.holder.kind = HolderKind::supervised;
    slot.holder.has_record = slot.holder.verified = true;
    slot.holder.token = slot.holder.hold = plan.held.token;
    slot.holder.start = rule::stamp_of(now);
    slot.holder.expire_after = request_->expire_after;
    slot.holder.id = request_->id;
    slot.holder.command = request_->command;
    held_.slots[held_.count++] = number;
  }
}

Status MemorySession::draw(const Instant& now, Ticket& ticket) {
  if (lock_->waiter_count == kWaiters)
    return error_of(Code::internal, 0, "the memory store has no place left");
  const LockSpec& spec = request_->locks[0];
  const std::uint32_t at = lock_->waiter_count++;
  const std::uint64_t number = ++lock_->last_ticket;
  if (request_->on_busy == OnBusy::supersede) lock_->state.superseding = number;
  rule::Table::Queued& place = lock_->places[at];
  place = {};
  place.queue = rule::queue_of(spec);
  place.joins = request_->on_busy == OnBusy::join;
  place.waiter.ticket = number;
  place.waiter.max = spec.max;
  place.waiter.take = spec.take;
  place.waiter.writer = spec.mode == Mode::exclusive;
  describe(place.waiter, ticket);
  WaiterView& shown = lock_->shown[at];
  shown = {};
  shown.ticket = number;
  shown.max = spec.max;
  shown.mode = spec.mode;
  shown.start = rule::stamp_of(now);
  shown.id = request_->id;
  shown.command = request_->command;
  ticket.drawn = true;
  ticket.numbers[0] = number;
  place_ = ticket;
  return {};
}

std::uint32_t MemorySession::position_of(std::uint64_t ticket) const {
  std::uint32_t at = 0;
  while (at < lock_->waiter_count && lock_->places[at].waiter.ticket != ticket) ++at;
  return at;
}

Result<Wake> MemorySession::await(Ticket& ticket, std::int64_t deadline_boot_ns) {
  return ticket.drawn && asked_boot_ns_ >= deadline_boot_ns ? Wake::deadline : Wake::maybe;
}

void MemorySession::leave(Ticket& ticket) {
  const std::uint32_t at = ticket.drawn ? position_of(ticket.numbers[0]) : lock_->waiter_count;
  ticket = place_ = {};
  if (at == lock_->waiter_count) return;
  --lock_->waiter_count;
  for (std::uint32_t i = at; i < lock_->waiter_count; ++i) {
    lock_->places[i] = lock_->places[i + 1];
    lock_->shown[i] = lock_->shown[i + 1];
  }
}

Result<Owned<HolderStop>> MemorySession::stop(std::uint32_t, std::uint32_t slot, std::uint64_t hold,
                                              StopFor what_for) {
  for (MemoryHolderStop& stop : stops_) {
    if (stop.begun()) continue;
    return stop.begin(*lock_, *this, slot, hold, what_for) ? Owned<HolderStop>(&stop)
                                                           : Owned<HolderStop>();
  }
  return error_of(Code::internal, 0, "too many holders are being stopped at once");
}

Upkeep MemorySession::upkeep(About, std::uint32_t) const {
  Upkeep known;
  for (std::uint32_t i = 0; i < held_.count; ++i) {
    const Slot& slot = lock_->slots[held_.slots[i] - 1];
    if (slot.stopper != nullptr)
      known.contest = slot.stopped_by_kill ? Contest::by_kill : Contest::for_its_place;
  }
  return known;
}

void MemorySession::release(Ending ending, const Instant& now) {
  for (std::uint32_t i = 0; i < held_.count; ++i) {
    Slot& slot = lock_->slots[held_.slots[i] - 1];
    if (slot.holder.token == held_.token) slot.held = false;  // it was not taken over
  }
  (void)rule::finish(lock_->state, before_, ending, now);
  held_.count = 0;
}

}  // namespace atmost::memory
