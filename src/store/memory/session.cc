#include "session.h"

#include "core/turn.h"

namespace atmost::memory {
namespace {

// Plain callers queue by their limit, shared and exclusive ones together.
bool same_queue(const LockSpec& lock, const WaiterView& waiter) {
  if (lock.mode == Mode::plain) return waiter.mode == Mode::plain && waiter.max == lock.max;
  return waiter.mode != Mode::plain;
}

}  // namespace

void MemorySession::begin(Lock& lock, const Request& request) {
  lock_ = &lock;
  request_ = &request;
  asked_boot_ns_ = 0;
}

void MemorySession::close() {
  for (Lock::Waiter& place : lock_->waiters) {
    if (place.session == this) place = {};
  }
  release(Ending::unknown, {}, {});  // a hold that was given away
  lock_ = nullptr;
}

bool MemorySession::closed(std::uint32_t slot, const Ticket* queue) const {
  const bool newcomer = queue == nullptr || !queue->drawn;
  const MemorySession* stopper = lock_->stopper[slot - 1];
  return lock_->slot_drained[slot - 1] || (newcomer && stopper != nullptr && stopper != this);
}

View MemorySession::view_of(const Ticket* queue, const Instant& now) const {
  const LockSpec& spec = request_->locks[0];
  View view;
  view.token = lock_->token;
  view.last = lock_->last;
  view.drained = lock_->drained;
  view.last_chance = queue == nullptr || queue->for_rate_only;
  view.first_in_rate = first_in_rate();
  if (queue != nullptr && queue->drawn) {
    view.superseded =
        request_->on_busy == OnBusy::supersede && lock_->superseding > queue->numbers[0];
  } else {
    for (const Lock::Waiter& each : lock_->waiters) view.queued += each.ticket != 0;
  }
  std::uint32_t free = 0;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    if (lock_->slot_held[i]) {
      lock_->seen[count++] = lock_->holders[i];
    } else if (i < spec.max && !closed(i + 1, queue)) {
      ++free;
    }
    view.takeover_running =
        view.takeover_running || (lock_->stopper[i] != nullptr && lock_->stopper[i] != this);
  }
  view.held = count;
  view.writer_inside = lock_->writer != nullptr;
  view.holders = {lock_->seen, count};

  if (spec.mode == Mode::exclusive) {
    view.has_room = count == 0;
  } else {
    view.has_room = lock_->writer == nullptr && free >= spec.take && count + spec.take <= spec.max;
  }
  settle_claims(queue, free, now, view);
  return view;
}

Stamp MemorySession::first_in_rate() const {
  const std::uint32_t count = request_->rate.count;
  if (count <= 1) return lock_->last.start;
  if (lock_->admissions < count) return {};
  return lock_->ring[(lock_->admissions - count) % kMaxRate];
}

Lock::Waiter* MemorySession::waiter_behind(std::uint64_t ticket) const {
  Lock::Waiter* next = nullptr;
  for (Lock::Waiter& waiter : lock_->waiters) {
    if (waiter.ticket > ticket && (next == nullptr || waiter.ticket < next->ticket)) next = &waiter;
  }
  return next;
}

void MemorySession::settle_claims(const Ticket* queue, std::uint32_t free, const Instant& now,
                                  View& view) const {
  const LockSpec& spec = request_->locks[0];
  const std::uint64_t ours = queue != nullptr && queue->drawn ? queue->numbers[0] : UINT64_MAX;
  Turns turns(now.boot_ns, lock_->last.start.same_boot ? lock_->last.start.boot_ns : 0);
  const auto enough = [&](std::uint32_t wanted) {
    return free >= wanted && view.held + wanted <= spec.max;
  };
  std::uint32_t claimed = 0;
  bool owed = false;
  for (Lock::Waiter* each = waiter_behind(0); each != nullptr; each = waiter_behind(each->ticket)) {
    const bool overtaken = turns.overtaken(each->turn_boot_ns);
    view.joiner_waiting =
        view.joiner_waiting || (each->joins && each->ticket != ours && !overtaken);
    // A writer goes before every reader that came later
    const bool writer = each->view.mode == Mode::exclusive;
    if (each->due_boot_ns > now.boot_ns) continue;
    if (each->ticket >= ours || overtaken || owed || (!writer && !same_queue(spec, each->view)))
      continue;
    if (!view.has_room || view.drained) {
      ++view.waiters_ahead;
      continue;
    }
    const bool possible = writer                         ? view.held == 0 && claimed == 0
                          : spec.mode == Mode::exclusive ? true
                                                         : enough(claimed + each->take);
    const Turns::Standing standing =
        possible ? turns.next(each->turn_boot_ns) : Turns::Standing::running;
    if (standing == Turns::Standing::begins) each->turn_boot_ns = now.boot_ns;
    if (standing == Turns::Standing::passed) {
      each->turn_boot_ns = now.boot_ns - kTurn.ns;
      continue;
    }
    claimed += each->take;
    ++view.waiters_ahead;
    const bool uses_rate = request_->rate.count > 0 && each->due_boot_ns > 0;
    owed = !possible || writer || uses_rate || spec.mode == Mode::exclusive ||
           !enough(claimed + spec.take);
    if (owed && possible) view.owed_for = {turns.ends() - now.boot_ns};
  }
  if (view.has_room && !owed) view.waiters_ahead = 0;
}

Result<Decision> MemorySession::attempt(DecideFn decide, const Instant& now, Ticket* queue,
                                        Lease& lease) {
  asked_boot_ns_ = now.boot_ns;
  const View view = view_of(queue, now);
  const Decision decision = decide(*request_, request_->locks[0], view, now);
  // A turn counts only if the caller could have used it.
  const bool early = decision.verdict == Verdict::too_soon;
  if (queue != nullptr && queue->drawn && (early || !view.has_room || view.waiters_ahead > 0)) {
    waiter_behind(queue->numbers[0] - 1)->turn_boot_ns = 0;
  }
  if (decision.last_in_future && !now.given) {
    for (Stamp& stamp : lock_->ring) {
      if (stamp.known && age_ns(stamp, now) < 0) stamp = stamp_of(now);
    }
    for (Stamp* stamp : {&lock_->last.start, &lock_->last.finish, &lock_->last.success}) {
      if (stamp->known && age_ns(*stamp, now) < 0) *stamp = stamp_of(now);
    }
  }
  if (decision.verdict != Verdict::admit) {
    if (queue != nullptr) settle_place(decision, now, *queue);
    return decision;
  }
  admit(now, queue);
  if (queue != nullptr) withdraw(*queue);
  lease = Lease(this);
  return decision;
}

// After a refusal: draws a ticket if the caller waits, and notes until when its rate refuses it.
void MemorySession::settle_place(const Decision& decision, const Instant& now, Ticket& queue) {
  const bool for_rate = waits_for_rate(*request_, decision);
  const bool draws = for_rate || (worth_waiting(decision) && !queue.for_rate_only);
  if (draws && !queue.drawn) draw(now, queue);
  queue.due_boot_ns = due_after(*request_, decision, now, queue.due_boot_ns);
  if (queue.drawn) waiter_behind(queue.numbers[0] - 1)->due_boot_ns = queue.due_boot_ns;
}

void MemorySession::admit(const Instant& now, const Ticket* queue) {
  const LockSpec& spec = request_->locks[0];
  if (spec.mode == Mode::exclusive) lock_->writer = this;
  const auto by_clock = static_cast<std::uint64_t>(now.real_ns > 0 ? now.real_ns / 1000 : 0);
  lock_->token = lock_->token + 1 > by_clock ? lock_->token + 1 : by_clock;
  start_before_ = lock_->last.start;
  admissions_before_ = lock_->admissions;
  if (lock_->admissions > 0 || request_->rate.count > 0) {
    if (lock_->admissions == 0 && lock_->last.start.known)
      lock_->ring[lock_->admissions++] = lock_->last.start;
    lock_->ring[lock_->admissions++ % kMaxRate] = stamp_of(now);
  }
  lock_->last.start = stamp_of(now);
  lock_->refusals = 0;
  held_.token = lock_->token;
  held_.count = 0;
  for (std::uint32_t i = 0; i < kSlots && held_.count < spec.take; ++i) {
    if (lock_->slot_held[i] || closed(i + 1, queue)) continue;
    lock_->slot_held[i] = true;
    HolderView& holder = lock_->holders[i];
    holder = {};
    holder.slot = i + 1;
    holder.kind = HolderKind::supervised;
    holder.has_record = true;
    holder.verified = true;
    holder.token = holder.hold = lock_->token;
    holder.start = stamp_of(now);
    holder.expire_after = request_->expire_after;
    holder.id = request_->id;
    holder.command = request_->command;
    held_.slots[held_.count++] = i + 1;
  }
}

void MemorySession::draw(const Instant& now, Ticket& ticket) {
  for (Lock::Waiter& place : lock_->waiters) {
    if (place.ticket != 0) continue;
    place = {};
    place.ticket = ++lock_->last_ticket;
    place.session = this;
    place.take = request_->locks[0].take;
    place.joins = request_->on_busy == OnBusy::join;
    if (request_->on_busy == OnBusy::supersede) lock_->superseding = place.ticket;
    place.view.ticket = place.ticket;
    place.view.max = request_->locks[0].max;
    place.view.mode = request_->locks[0].mode;
    place.view.start = stamp_of(now);
    place.view.id = request_->id;
    place.view.command = request_->command;
    ticket.drawn = true;
    ticket.numbers[0] = place.ticket;
    return;
  }
}

Result<Wake> MemorySession::await(Ticket& ticket, std::int64_t deadline_boot_ns) {
  return ticket.drawn && asked_boot_ns_ >= deadline_boot_ns ? Wake::deadline : Wake::maybe;
}

void MemorySession::withdraw(Ticket& ticket) {
  for (Lock::Waiter& place : lock_->waiters) {
    if (ticket.drawn && place.ticket == ticket.numbers[0]) place = {};
  }
  ticket = {};
}

Result<std::uint32_t> MemorySession::count_refusal(std::uint32_t) { return ++lock_->refusals; }

Result<std::uint32_t> MemorySession::count_end(std::uint32_t, bool failed) {
  const std::uint32_t before = lock_->failures;
  lock_->failures = failed ? before + 1 : 0;
  return failed ? before + 1 : before;
}

bool MemorySession::learn(std::uint32_t, LearnFn how, const RunSample& sample) {
  return how(lock_->stats, lock_->directory_stats, sample);
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

}  // namespace atmost::memory
