// How a session waits: behind the waiters in front of it, then as the head of the queue.
//
// A waiter in front may be paused for ever, and /proc does not show it (a frozen process is not a
// stopped one). So every waiter looks from time to time whether a slot is free. Those near the head
// look so often that each has looked before the turn of the one in front of it has ended, which
// keeps the order. The others could only be next if all of those were paused; they look now and
// then, and in good time before their deadline.
#include <cerrno>

#include "core/turn.h"
#include "os/clock.h"
#include "queue.h"
#include "session.h"

namespace atmost::local {
namespace {

// How long the head of a queue waits before it looks again, events or not.
constexpr std::int64_t kLookAgainNs = 1'000'000'000;
// There are no events from other machines.
constexpr std::int64_t kLookAcrossNs = 250'000'000;
// After a close, the event comes before the locks are dropped, so the head looks soon, and a few
// times.
constexpr std::int64_t kAfterClose[] = {20'000'000, 5'000'000, 1'000'000};
constexpr std::int64_t kNearLooksNs = 400'000'000;
static_assert(kNearLooksNs < kTurn.ns);
constexpr std::int64_t kFarLooksNs = 20'000'000'000;
// Two turns are over by then, with a margin for a loaded machine.
constexpr std::int64_t kBeforeDeadlineNs = 2 * kTurn.ns + 300'000'000;

std::int64_t turn_now(const LockFile& file) {
  return file.identity().across ? os::now().real_ns : os::boot_ns();
}

std::int64_t earlier(std::int64_t one, std::int64_t other) { return one < other ? one : other; }

std::int64_t next_look(bool near, std::int64_t due_boot_ns, std::int64_t deadline_boot_ns) {
  const std::int64_t now = os::boot_ns();
  // Until the next admission is due, there is nothing that a waiter in front could miss.
  if (near) return (due_boot_ns > now ? due_boot_ns : now) + kNearLooksNs;
  const bool finite = deadline_boot_ns != Duration::kForever;
  const std::int64_t last_chance = finite ? deadline_boot_ns - kBeforeDeadlineNs : now;
  return last_chance > now ? earlier(last_chance, now + kFarLooksNs) : now + kFarLooksNs;
}

}  // namespace

// A paused waiter that runs again finds that it was overtaken: its next attempt makes it count
// again.
bool LocalSession::should_ask(std::uint32_t lock, std::uint64_t ticket) {
  const LockSpec& spec = request_->locks[lock];
  Entry& ours = entry(lock);
  if (request_->on_busy == OnBusy::supersede && is_superseded(ours.file, ticket)) return true;
  return turn_of(ours.file, queue_of(spec), ticket) != ours.turn_seen_ns ||
         may_have_room(ours.file, spec, words_.it);
}

// `gone`: no waiter is in front of us in this queue. Otherwise the wait is over, and the answer
// says how.
Result<Wake> LocalSession::wait_behind_others(std::uint32_t lock, const Ticket& drawn,
                                              std::int64_t deadline_boot_ns, bool& gone) {
  Entry& ours = entry(lock);
  const std::uint64_t ticket = drawn.numbers[lock];
  const std::uint32_t queue = queue_of(request_->locks[lock]);
  gone = false;
  Ahead ahead;
  for (bool same = false;;) {
    if (!same) {
      const std::uint32_t far = ours.near ? 1 : kNear;
      Status found = find_ahead(ours.file, queue, ticket, far, turn_now(ours.file), ahead);
      if (!found.ok()) return found.error();
    }
    gone = ahead.ticket == 0;
    if (gone) return Wake::maybe;
    // One that may be superseded looks as often as one near the head.
    ours.near = ours.near || ahead.count < kNear || request_->on_busy == OnBusy::supersede;
    const std::int64_t look_at = next_look(ours.near, drawn.due_boot_ns, deadline_boot_ns);
    const int error =
        wait_behind(ours.file, queue, ahead.ticket, earlier(deadline_boot_ns, look_at));
    if (error != 0 && error != EINTR)
      return ours.file.failure(Code::io, error, "cannot wait in the queue");
    const std::int64_t at = os::boot_ns();
    if (at >= deadline_boot_ns) return Wake::deadline;
    // Finding the waiter anew costs more than a look, and is only needed when it no longer counts.
    same = error != 0 &&
           !Turns(turn_now(ours.file), 0).overtaken(turn_of(ours.file, queue, ahead.ticket));
    if (error == 0) {
      // That waiter and all before it have gone, or there are fewer than we think
      ours.near = true;
    } else if (at < look_at) {
      return Wake::interrupted;
    } else if (should_ask(lock, ticket)) {
      return Wake::maybe;
    }
  }
}

// True when no waiter is in front of us in any queue. Otherwise the wait behind another waiter is
// over, and `wake` says how.
Result<bool> LocalSession::wait_for_turn(const Ticket& ticket, std::int64_t deadline_boot_ns,
                                         Wake& wake) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    bool gone = false;
    Result<Wake> waited = wait_behind_others(i, ticket, deadline_boot_ns, gone);
    if (!waited.ok()) return waited.error();
    wake = waited.value();
    if (!gone) return false;
  }
  return true;
}

// After a failed attempt, updates our own turns in the locks that it looked at: a turn that we
// could not have used is cancelled.
void LocalSession::settle_own_turns(const Decision& decision, const Ticket& ticket) {
  const bool early = decision.verdict == Verdict::too_soon;
  for (std::uint32_t i = 0; i < count_; ++i) {
    Entry& ours = entry(i);
    const std::uint32_t queue = queue_of(request_->locks[i]);
    ours.turn_seen_ns = turn_of(ours.file, queue, ticket.numbers[i]);
    const bool ours_to_use = !early && ours.reserved.has_room && ours.reserved.waiters_ahead == 0;
    if (ours.turn_seen_ns == 0 || i > decision.lock || ours_to_use) continue;
    note_turn(ours.file, queue, ticket.numbers[i], 0);
    ours.turn_seen_ns = 0;
  }
}

bool LocalSession::waits_for_handover() const {
  const LockSpec& spec = request_->locks[0];
  return request_->lock_count == 1 && spec.max == 1 && spec.mode == Mode::plain;
}

// If the holder of the only slot came from the queue, the head waits for the byte that the holder
// has locked beside the slot: the kernel wakes the head as soon as the slot is free, and no watch
// is needed. False when that byte is not locked.
bool LocalSession::wait_for_handover(std::int64_t deadline_boot_ns, Wake& wake) {
  if (!waits_for_handover()) return false;
  LockFile& file = entry(0).file;
  const os::Bytes byte = {kHandoverByte, 1};
  os::Conflict conflict;
  if (os::query_lock(file.fd(), os::Owner::description, os::LockKind::read, byte, conflict) != 0 ||
      !conflict.found) {
    return false;
  }
  const std::int64_t look_at = plus(os::boot_ns(), {kLookAgainNs});
  const int error = os::wait_lock_until(file.fd(), os::Owner::description, os::LockKind::read, byte,
                                        earlier(deadline_boot_ns, look_at), file.blocking());
  if (error == 0) os::unlock(file.fd(), os::Owner::description, byte);
  if (error != 0 && error != EINTR) return false;
  const std::int64_t at = os::boot_ns();
  wake = error == EINTR && at < look_at ? Wake::interrupted : Wake::maybe;
  if (error != 0 && at >= deadline_boot_ns) wake = Wake::deadline;
  return true;
}

Result<Wake> LocalSession::await(Ticket& ticket, std::int64_t deadline_boot_ns) {
  if (!ticket.drawn) return Wake::maybe;
  Wake wake = Wake::maybe;
  Result<bool> turn = wait_for_turn(ticket, deadline_boot_ns, wake);
  if (!turn.ok()) return turn.error();
  const bool early = ticket.due_boot_ns > os::boot_ns();
  if (early) deadline_boot_ns = earlier(deadline_boot_ns, ticket.due_boot_ns);
  if (!turn.value() || wait_for_handover(deadline_boot_ns, wake)) return wake;
  if (!watch_.started()) {
    for (std::uint32_t i = 0; i < count_; ++i) watch_.start(entry(i).file.path());
    return Wake::maybe;  // what happened before the watch began is seen by the next attempt
  }
  const std::int64_t span = quick_looks_ > 0                  ? kAfterClose[--quick_looks_]
                            : entry(0).file.identity().across ? kLookAcrossNs
                                                              : kLookAgainNs;
  const std::int64_t until = earlier(deadline_boot_ns, plus(os::boot_ns(), {span}));
  const os::Noticed noticed = watch_.wait(until - os::boot_ns());
  if (noticed == os::Noticed::closed) quick_looks_ = sizeof kAfterClose / sizeof kAfterClose[0];
  if (os::boot_ns() >= deadline_boot_ns) return Wake::deadline;
  return noticed == os::Noticed::interrupted ? Wake::interrupted : Wake::maybe;
}

}  // namespace atmost::local
