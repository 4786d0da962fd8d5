#include "memory_store.h"

#include "core/turn.h"

namespace atmost::memory {
namespace {

// Plain callers queue by their limit, shared and exclusive ones together.
bool same_queue(const LockSpec& lock, const WaiterView& waiter) {
  if (lock.mode == Mode::plain) return waiter.mode == Mode::plain && waiter.max == lock.max;
  return waiter.mode != Mode::plain;
}

Stamp stamp_of(const Instant& at) {
  return {at.real_ns, at.given ? 0 : at.boot_ns, !at.given, true};
}

}  // namespace

bool MemoryStore::closed(std::uint32_t slot, const Ticket* queue) const {
  const bool newcomer = queue == nullptr || !queue->drawn;
  const void* taker = lock_.taker[slot - 1];
  return lock_.slot_drained[slot - 1] || (newcomer && taker != nullptr && taker != this);
}

View MemoryStore::view_of(const Request& request, const Ticket* queue, const Instant& now) const {
  const LockSpec& spec = request.locks[0];
  View view;
  view.token = lock_.token;
  view.last = lock_.last;
  view.drained = lock_.drained;
  view.last_chance = queue == nullptr;
  std::uint32_t free = 0;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    if (lock_.slot_held[i]) {
      seen_[count++] = lock_.holders[i];
    } else if (i < spec.max && !closed(i + 1, queue)) {
      ++free;
    }
    view.takeover_running =
        view.takeover_running || (lock_.taker[i] != nullptr && lock_.taker[i] != this);
  }
  view.held = count;
  view.writer_inside = lock_.exclusive_handle != 0;
  view.holders = {seen_, count};

  if (spec.mode == Mode::exclusive) {
    view.room = count == 0;
  } else {
    view.room = lock_.exclusive_handle == 0 && free >= spec.take && count + spec.take <= spec.max;
  }
  settle_claims(spec, queue, free, now, view);
  return view;
}

Lock::Waiter* MemoryStore::waiter_behind(std::uint64_t ticket) const {
  Lock::Waiter* next = nullptr;
  for (Lock::Waiter& waiter : lock_.waiters) {
    if (waiter.ticket > ticket && (next == nullptr || waiter.ticket < next->ticket)) next = &waiter;
  }
  return next;
}

void MemoryStore::settle_claims(const LockSpec& spec, const Ticket* queue, std::uint32_t free,
                                const Instant& now, View& view) const {
  const std::uint64_t ours = queue != nullptr && queue->drawn ? queue->numbers[0] : UINT64_MAX;
  Turns turns(now.boot_ns, lock_.last.start.same_boot ? lock_.last.start.boot_ns : 0);
  const auto enough = [&](std::uint32_t wanted) {
    return free >= wanted && view.held + wanted <= spec.max;
  };
  std::uint32_t claimed = 0;
  bool owed = false;
  for (Lock::Waiter* each = waiter_behind(0); each != nullptr; each = waiter_behind(each->ticket)) {
    const bool overtaken = turns.overtaken(each->turn_boot_ns);
    view.joiner_waiting =
        view.joiner_waiting || (each->joins && each->ticket != ours && !overtaken);
    const bool writer =
        each->view.mode == Mode::exclusive;  // goes before every reader that came later
    if (each->ticket >= ours || overtaken || owed || (!writer && !same_queue(spec, each->view)))
      continue;
    if (!view.room || view.drained) {
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
    owed = !possible || writer || spec.mode == Mode::exclusive || !enough(claimed + spec.take);
    if (owed && possible) view.owed_for = {turns.ends() - now.boot_ns};
  }
  if (view.room && !owed) view.waiters_ahead = 0;
}

Result<Decision> MemoryStore::attempt(const Request& request, DecideFn decide, const Instant& now,
                                      Ticket* queue, Lease& lease) {
  if (request.lock_count != 1)
    return error_of(Code::usage, 0, "this store takes one lock at a time");
  const View view = view_of(request, queue, now);
  const Decision decision = decide(request, request.locks[0], view, now);
  // A turn that we could not have used is none.
  if (queue != nullptr && queue->drawn && (!view.room || view.waiters_ahead > 0)) {
    waiter_behind(queue->numbers[0] - 1)->turn_boot_ns = 0;
  }
  if (decision.last_in_future && !now.given) {
    for (Stamp* stamp : {&lock_.last.start, &lock_.last.finish, &lock_.last.success}) {
      if (stamp->known && age_ns(*stamp, now) < 0) *stamp = stamp_of(now);
    }
  }
  if (worth_waiting(decision) && queue != nullptr && !queue->drawn) draw(request, now, *queue);
  if (decision.verdict != Verdict::admit) return decision;
  for (std::uint32_t handle = 0; handle < kHandles; ++handle) {
    if (lock_.handles[handle].used) continue;
    admit(request, now, queue, handle);
    if (queue != nullptr) withdraw(request, *queue);
    lease = Lease(this, handle);
    return decision;
  }
  return error_of(Code::internal, 0, "the memory store has no handle left");
}

void MemoryStore::admit(const Request& request, const Instant& now, const Ticket* queue,
                        std::uint32_t handle) {
  const LockSpec& spec = request.locks[0];
  Lock::Handle& to = lock_.handles[handle];
  to = {};
  to.used = true;
  to.exclusive = spec.mode == Mode::exclusive;
  if (to.exclusive) lock_.exclusive_handle = handle + 1;
  const auto by_clock = static_cast<std::uint64_t>(now.real_ns > 0 ? now.real_ns / 1000 : 0);
  lock_.token = lock_.token + 1 > by_clock ? lock_.token + 1 : by_clock;
  to.held.token = lock_.token;
  lock_.last.start = stamp_of(now);
  lock_.refusals = 0;
  for (std::uint32_t i = 0; i < kSlots && to.held.count < spec.take; ++i) {
    if (lock_.slot_held[i] || closed(i + 1, queue)) continue;
    lock_.slot_held[i] = true;
    HolderView& holder = lock_.holders[i];
    holder = {};
    holder.slot = i + 1;
    holder.kind = HolderKind::supervised;
    holder.has_record = true;
    holder.verified = true;
    holder.token = holder.hold = lock_.token;
    holder.start = stamp_of(now);
    holder.expire_after = request.expire_after;
    holder.id = request.id;
    holder.command = request.command;
    to.held.slots[to.held.count++] = i + 1;
  }
}

void MemoryStore::draw(const Request& request, const Instant& now, Ticket& ticket) {
  for (Lock::Waiter& place : lock_.waiters) {
    if (place.ticket != 0) continue;
    place = {};
    place.ticket = ++lock_.last_ticket;
    place.take = request.locks[0].take;
    place.joins = request.on_busy == OnBusy::join;
    place.view.ticket = place.ticket;
    place.view.max = request.locks[0].max;
    place.view.mode = request.locks[0].mode;
    place.view.start = stamp_of(now);
    place.view.id = request.id;
    place.view.command = request.command;
    ticket.drawn = true;
    ticket.numbers[0] = place.ticket;
    return;
  }
}

Result<Wake> MemoryStore::await(const Request&, Ticket&, std::int64_t deadline_boot_ns) {
  return boot_ns >= deadline_boot_ns ? Wake::deadline : Wake::maybe;
}

void MemoryStore::withdraw(const Request&, Ticket& ticket) {
  for (Lock::Waiter& place : lock_.waiters) {
    if (ticket.drawn && place.ticket == ticket.numbers[0]) place = {};
  }
  ticket = {};
}

Result<std::uint32_t> MemoryStore::inspect(const LockSpec&, const Instant&, LockVisitor* visitor) {
  std::uint32_t held = 0;
  if (visitor != nullptr) visitor->header({true, lock_.drained, lock_.token, lock_.last});
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    if (!lock_.slot_held[i]) continue;
    ++held;
    if (visitor != nullptr) visitor->holder(lock_.holders[i]);
  }
  if (visitor == nullptr) return held;
  std::uint64_t shown = 0;
  for (;;) {  // in ticket order, which is the order of every queue
    const Lock::Waiter* next = nullptr;
    for (const Lock::Waiter& waiter : lock_.waiters) {
      if (waiter.ticket > shown && (next == nullptr || waiter.ticket < next->ticket))
        next = &waiter;
    }
    if (next == nullptr) return held;
    shown = next->ticket;
    visitor->waiter(next->view);
  }
}

Status MemoryStore::set_drained(const Request&, std::uint32_t slot, bool drained) {
  if (slot > kSlots) return error_of(Code::usage, 0, "no such slot");
  if (slot > 0) {
    lock_.slot_drained[slot - 1] = drained;
    return {};
  }
  lock_.drained = drained;
  for (bool& each : lock_.slot_drained) each = drained && each;
  return {};
}

Result<bool> MemoryStore::begin_takeover(std::uint32_t, std::uint32_t slot) {
  if (lock_.taker[slot - 1] != nullptr && lock_.taker[slot - 1] != this) return false;
  lock_.taker[slot - 1] = this;
  return true;
}

// A holder in memory obeys the first word.
Result<SignalResult> MemoryStore::press(std::uint32_t, std::uint32_t slot, std::uint64_t hold,
                                        SignalStep pressure) {
  SignalResult pressed;
  const HolderView& holder = lock_.holders[slot - 1];
  pressed.held = lock_.slot_held[slot - 1] && holder.hold == hold;
  pressed.token = holder.token;
  pressed.start = holder.start;
  if (!pressed.held || pressure == SignalStep::none || pressure == SignalStep::prove)
    return pressed;
  lock_.slot_held[slot - 1] = false;
  pressed.signalled = 1;
  return pressed;
}

void MemoryStore::end_takeover(std::uint32_t, std::uint32_t slot) {
  if (lock_.taker[slot - 1] == this) lock_.taker[slot - 1] = nullptr;
}

Result<std::uint32_t> MemoryStore::count_refusal(const Request&, std::uint32_t) {
  return ++lock_.refusals;
}

bool MemoryStore::contested(std::uint32_t handle, std::uint32_t lock) const {
  const HeldLock& mine = held(handle, lock);
  for (std::uint32_t i = 0; i < mine.count; ++i) {
    if (lock_.taker[mine.slots[i] - 1] != nullptr) return true;
  }
  return false;
}

Status MemoryStore::forget(const Request&) {
  lock_.last = {};
  return {};
}

const HeldLock& MemoryStore::held(std::uint32_t handle, std::uint32_t) const {
  return lock_.handles[handle].held;
}

void MemoryStore::release(std::uint32_t handle, Ending ending, const Instant& now) {
  Lock::Handle& from = lock_.handles[handle];
  for (std::uint32_t i = 0; i < from.held.count; ++i)
    lock_.slot_held[from.held.slots[i] - 1] = false;
  if (from.exclusive) lock_.exclusive_handle = 0;
  if (ending != Ending::unknown) lock_.last.finish = stamp_of(now);
  if (ending == Ending::success) lock_.last.success = stamp_of(now);
  from = {};
}

}  // namespace atmost::memory
