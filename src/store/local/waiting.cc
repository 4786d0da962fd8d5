// The waiting of a session: behind the waiters in front of it, then as the head of the queue.
//
// A waiter sleeps on a word of its own, and a caller that leaves calls the next one that claims a
// slot. A waiter in front may be paused for ever, and /proc does not show it (a frozen process is
// not a stopped one); but it does not sleep on its word, so a call is not answered, and is made to
// the next. The head calls one or three that run to be ready: these look so often whether a slot is
// free that they notice when the head is paused. The others look now and then, in case that all of
// these are paused or killed together, and in good time before their deadline.
#include <cerrno>

#include "core/turn.h"
#include "os/clock.h"
#include "queue.h"
#include "roll.h"
#include "session.h"

namespace atmost::local {
namespace {

// The time after which the head of a queue looks again, even without an event.
constexpr std::int64_t kLookAgainNs = 1'000'000'000;
// There are no events from other machines.
constexpr std::int64_t kLookAcrossNs = 250'000'000;
// After a close, the event comes before the locks are dropped, so the head looks soon, and a few
// times.
constexpr std::int64_t kAfterClose[] = {20'000'000, 5'000'000, 1'000'000};
// Those near the head look so often, and the others the less often the more there are in front.
constexpr std::int64_t kNearLooksNs = 250'000'000;
static_assert(kNearLooksNs < kTurn.ns);
constexpr std::uint32_t kNear = 2;
constexpr std::uint32_t kFar = 16;
constexpr std::int64_t kFarLooksNs = 20'000'000'000;
// Two turns are over by then, with a margin for a loaded machine.
constexpr std::int64_t kBeforeDeadlineNs = 2 * kTurn.ns + 300'000'000;
// A head that stays for longer keeps so many behind it ready; before, one.
constexpr std::int64_t kStaysNs = 500'000'000;
constexpr std::uint32_t kReady = 3;

std::int64_t turn_now(const LockFile& file) {
  return file.identity().across ? os::now().real_ns : os::boot_ns();
}

std::int64_t earlier(std::int64_t one, std::int64_t other) { return one < other ? one : other; }

}  // namespace

// Until the next admission is due, there is nothing that a waiter in front could miss.
std::int64_t LocalSession::next_look(std::int64_t due_boot_ns,
                                     std::int64_t deadline_boot_ns) const {
  const std::int64_t now = os::boot_ns();
  const std::int64_t from = due_boot_ns > now ? due_boot_ns : now;
  if (position_.rank <= kNear) return from + kNearLooksNs;
  const std::int64_t look =
      from + (position_.rank < kFar ? position_.rank * kNearLooksNs : kFarLooksNs);
  const bool finite = deadline_boot_ns != Duration::kForever;
  const std::int64_t last_chance = finite ? deadline_boot_ns - kBeforeDeadlineNs : now;
  return last_chance > now ? earlier(last_chance, look) : look;
}

// A paused waiter that runs again finds that it was overtaken: its next attempt makes it count
// again.
bool LocalSession::should_ask(std::uint32_t lock, std::uint64_t ticket) {
  const LockSpec& spec = spec_of(lock);
  Entry& ours = entry(lock);
  if (request_->on_busy == OnBusy::supersede && is_superseded(ours.file, ticket)) return true;
  return has_new_turn(lock, ticket) || may_have_room(ours.file, spec, room_.it.words);
}

bool LocalSession::has_new_turn(std::uint32_t lock, std::uint64_t ticket) {
  Entry& ours = entry(lock);
  return turn_of(ours.file, queue_of(spec_of(lock)), ticket) != ours.turn_seen_ns;
}

// Returns 0 (called, or the waiter in front has gone), ETIMEDOUT, EINTR, or another errno value.
int LocalSession::sleep_behind(std::uint64_t ahead, std::uint64_t ticket, std::uint32_t word,
                               std::int64_t until_boot_ns) {
  LockFile& file = entry(position_.lock).file;
  if (word != 0) {
    const int error = file.bells()->wait(bell_in_ring(ticket), word, until_boot_ns);
    if (error == 0 || error == EINTR || error == ETIMEDOUT) return error;
  }
  const std::uint32_t queue = queue_of(spec_of(position_.lock));
  const int error = wait_behind(file, queue, ahead, until_boot_ns);
  return error == EINTR && os::boot_ns() >= until_boot_ns ? ETIMEDOUT : error;
}

// `gone`: no waiter is in front of us where we wait. Otherwise the wait is over, with that answer.
Result<Wake> LocalSession::wait_for_turn(const Ticket& drawn, std::int64_t deadline_boot_ns,
                                         bool& gone) {
  const std::uint32_t lock = position_.lock;
  LockFile& file = entry(lock).file;
  const std::uint64_t ticket = drawn.numbers[lock];
  const std::uint32_t queue = queue_of(spec_of(lock));
  // A waiter that may be superseded looks as often as a waiter near the head.
  if (request_->on_busy == OnBusy::supersede) position_.rank = 1;
  Ahead ahead;
  for (bool looks = false, searches = true, called = false;;) {
    // Read before the look: a later call changes it.
    const std::uint32_t word = file.may_sleep_on_bells() ? bell_of(file, ticket) : 0;
    if (searches) {
      const bool early = drawn.due_boot_ns > os::boot_ns();
      const std::uint32_t enough = position_.rank == 0 ? kFar : 1;
      Status found = find_ahead(file, queue, ticket, early, enough, turn_now(file), ahead);
      if (!found.ok()) return found.error();
      if (position_.rank == 0) position_.rank = ahead.count;
    }
    gone = ahead.ticket == 0;
    if (gone) return Wake::maybe;
    position_.head_ns = 0;
    // It came back in front of us, and the caller that called us has not seen it.
    if (called) call_sleeper(file, ahead.ticket);
    // Even if we have only just asked: a turn that was noted before the word was read changes it no
    // more.
    if (looks ? should_ask(lock, ticket) : has_new_turn(lock, ticket)) {
      position_.rank = 1;  // if others are to follow us, it is we who have to call them
      position_.leads = true;
      return Wake::maybe;
    }
    const std::int64_t look_at = next_look(drawn.due_boot_ns, deadline_boot_ns);
    const int error = sleep_behind(ahead.ticket, ticket, word, earlier(deadline_boot_ns, look_at));
    if (error == EINTR) return Wake::interrupted;
    if (error != 0 && error != ETIMEDOUT)
      return file.failure(Code::io, error, "cannot wait in the queue");
    called = error == 0;
    if (called) position_.rank = 1;
    if (called) position_.leads = true;  // also one that leaves now calls the next
    if (os::boot_ns() >= deadline_boot_ns) return Wake::deadline;
    if (request_->keep_place_ms > 0) keep_places(drawn);
    // A search costs more than a look.
    searches = position_.rank < kFar;
    looks = true;
  }
}

// As the head: sees to it that waiters behind us that run look often enough to notice when we are
// paused.
void LocalSession::lead(const Ticket& ticket) {
  const std::int64_t now = os::boot_ns();
  position_.leads = true;
  if (position_.head_ns == 0) position_.head_ns = now;
  if (position_.called_ns != 0 && now - position_.called_ns < kStaysNs) return;
  const std::uint32_t wanted = position_.called_ns == 0 ? 1 : kReady;
  position_.called_ns = now;
  LockFile& file = entry(position_.lock).file;
  const std::uint64_t ours = ticket.numbers[position_.lock];
  const Roll behind = {queue_of(spec_of(position_.lock)), ours, false, turn_now(file)};
  call_next(file, behind, wanted, position_.called);
  mark_bell(file, ours);
}

// We leave, or claim nothing for a while: the next waiter has to be called.
void LocalSession::call_successor(const Ticket& ticket, bool stays) {
  if (!position_.leads || position_.lock == Ticket::kNowhere ||
      !entry(position_.lock).file.present())
    return;
  LockFile& file = entry(position_.lock).file;
  const std::uint64_t after = stays ? ticket.numbers[position_.lock] : 0;
  position_.leads = false;
  // The one behind us that was asleep when we became the head: usually it still is.
  if (position_.called.next != 0 && call_waiter(file, position_.called.next)) return;
  const Roll all = {queue_of(spec_of(position_.lock)), after, ticket.due_boot_ns != 0,
                    turn_now(file)};
  Called called;
  call_next(file, all, 1, called);
}

// After a failed attempt: where we wait from now on.
void LocalSession::settle_position(const Ticket& ticket) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    Entry& each = entry(i);
    each.turn_seen_ns = turn_of(each.file, queue_of(spec_of(i)), ticket.numbers[i]);
  }
  if (position_.lock == ticket.claims_in) return;
  if (position_.lock != Ticket::kNowhere) call_successor(ticket, false);
  // Those behind us there may have begun to wait for us.
  position_ = {.lock = ticket.claims_in, .leads = true};
}

// Too early for all locks: only the time is waited for.
Result<Wake> LocalSession::sleep_parked(std::int64_t deadline_boot_ns) const {
  const bool looks = request_->on_busy == OnBusy::supersede;
  const std::int64_t look = plus(os::boot_ns(), {looks ? kNearLooksNs : kFarLooksNs});
  const bool slept = os::sleep_until(earlier(deadline_boot_ns, look));
  if (os::boot_ns() >= deadline_boot_ns) return Wake::deadline;
  return slept ? Wake::maybe : Wake::interrupted;
}

bool LocalSession::waits_for_handover() const {
  const LockSpec& spec = spec_of(0);
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
  if (request_->keep_place_ms > 0) keep_places(ticket);
  if (position_.lock == Ticket::kNowhere) return sleep_parked(deadline_boot_ns);
  bool gone = false;
  Result<Wake> waited = wait_for_turn(ticket, deadline_boot_ns, gone);
  if (!waited.ok() || !gone) return waited;
  const bool early = ticket.due_boot_ns > os::boot_ns();
  if (early) deadline_boot_ns = earlier(deadline_boot_ns, ticket.due_boot_ns);
  if (!early) lead(ticket);
  position_.leads = true;
  Wake wake = Wake::maybe;
  if (wait_for_handover(deadline_boot_ns, wake)) return wake;
  if (!watch_.started() || position_.watched != position_.lock) {
    watch_.stop();
    watch_.start(entry(position_.lock).file.path());
    position_.watched = position_.lock;
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
