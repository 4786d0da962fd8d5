// How LocalStore waits: behind its predecessor, then as the head of the queue.
#include <cerrno>

#include "local_store.h"
#include "os/clock.h"
#include "queue.h"

namespace atmost::local {
namespace {

// How long the head of a queue waits before it looks again, events or not.
constexpr std::int64_t kLookAgainNs = 1'000'000'000;
// After a close, whose event comes before the locks are dropped, it looks soon, and a few times.
constexpr std::int64_t kAfterClose[] = {20'000'000, 5'000'000, 1'000'000};

std::int64_t earlier(std::int64_t one, std::int64_t other) { return one < other ? one : other; }

}  // namespace

// True when nobody is in front of us in any queue. Otherwise the wait behind somebody is over, and `wake` says how.
Result<bool> LocalStore::wait_for_turn(const Request& request, const Ticket& ticket,
                                       std::int64_t deadline_boot_ns, Wake& wake) {
  for (std::uint32_t i = 0; i < count_;) {
    std::uint64_t ahead = 0;
    const std::uint32_t queue = queue_of(request.locks[i]);
    Status found = predecessor(entries_[i].file, queue, ticket.numbers[i], ahead);
    if (!found.ok()) return found.error();
    if (ahead == 0) {
      ++i;
      continue;
    }
    const std::int64_t look_at = plus(os::boot_ns(), {kLookAtStoppedNs});
    const int error = wait_behind(entries_[i].file, queue, ahead, earlier(deadline_boot_ns, look_at));
    if (error != 0 && error != EINTR)
      return entries_[i].file.failure(Code::io, error, "cannot wait in the queue");
    const std::int64_t at = os::boot_ns();
    wake = at >= deadline_boot_ns ? Wake::deadline : Wake::interrupted;
    if (at >= deadline_boot_ns || (error == EINTR && at < look_at)) return false;
    i = 0;
  }
  return true;
}

// With one slot the head waits for that very lock: the kernel wakes it the moment the slot is free, whoever held it,
// and there is nothing to set up or tear down. False when the slot is not what it waits for (a drained lock).
bool LocalStore::wait_for_only_slot(const Request& request, std::int64_t deadline_boot_ns, Wake& wake) {
  const LockSpec& spec = request.locks[0];
  if (count_ != 1 || spec.max != 1 || spec.mode != Mode::plain) return false;
  LockFile& file = entries_[0].file;
  const os::Bytes slot = {slot_byte(1), 1};
  os::Conflict conflict;
  if (os::query_lock(file.fd(), os::Owner::description, os::Hold::read, slot, conflict) != 0 ||
      !conflict.found) {
    return false;
  }
  const std::int64_t look_at = plus(os::boot_ns(), {kLookAgainNs});
  const int error = os::wait_lock_until(file.fd(), os::Owner::description, os::Hold::read, slot,
                                        earlier(deadline_boot_ns, look_at), file.blocking());
  if (error == 0) os::unlock(file.fd(), os::Owner::description, slot);
  if (error != 0 && error != EINTR) return false;
  const std::int64_t at = os::boot_ns();
  wake = error == EINTR && at < look_at ? Wake::interrupted : Wake::maybe;
  if (error != 0 && at >= deadline_boot_ns) wake = Wake::deadline;
  return true;
}

Result<Wake> LocalStore::await(const Request& request, Ticket& ticket, std::int64_t deadline_boot_ns) {
  Wake wake = Wake::maybe;
  Result<bool> turn = wait_for_turn(request, ticket, deadline_boot_ns, wake);
  if (!turn.ok()) return turn.error();
  if (!turn.value() || wait_for_only_slot(request, deadline_boot_ns, wake)) return wake;
  if (!watch_.started()) {
    for (std::uint32_t i = 0; i < count_; ++i) watch_.start(entries_[i].file.path());
    return Wake::maybe;  // what happened before the watch began is seen by the next attempt
  }
  const std::int64_t span = quick_looks_ > 0 ? kAfterClose[--quick_looks_] : kLookAgainNs;
  const std::int64_t until = earlier(deadline_boot_ns, plus(os::boot_ns(), {span}));
  const os::Noticed noticed = watch_.wait(until - os::boot_ns());
  if (noticed == os::Noticed::closed) quick_looks_ = sizeof kAfterClose / sizeof kAfterClose[0];
  if (os::boot_ns() >= deadline_boot_ns) return Wake::deadline;
  return noticed == os::Noticed::interrupted ? Wake::interrupted : Wake::maybe;
}

}  // namespace atmost::local
