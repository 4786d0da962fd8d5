#include "caller.h"

#include <algorithm>

#include "core/lease_time.h"
#include "os/clock.h"
#include "words.h"

namespace atmost::etcd {
namespace {

// A process that received a termination signal does not wait long for a store that does not answer;
// its lease ends by itself.
constexpr Duration kFarewell = Duration::seconds(2);

}  // namespace

Caller::Caller(const Access& access, ClusterHistory& history, const Request& asked, bool alone)
    : request(asked), gateway(access, history), lease(access, history), latches(alone) {
  locks.reserve(request.lock_count);
  for (std::uint32_t i = 0; i < request.lock_count; ++i)
    locks.emplace_back(access.prefix, request.locks[i]);
}

CallerPlace Caller::place(std::size_t lock, const Ticket* queue) const {
  const bool drawn = queue != nullptr && queue->drawn;
  return {request,
          locks[lock].spec,
          drawn ? queue->numbers[lock] : 0,
          lease.id(),
          queue == nullptr || queue->for_rate_only,
          locks[lock].deep};
}

bool Caller::keeps_place() const {
  return locks.size() == 1 && locks[0].spec.mode == Mode::plain && locks[0].spec.max == 1;
}

Status Caller::ensure_lease(std::int64_t give_up_boot_ns, const std::vector<Ahead>& next) {
  if (latches) latch.arm();
  return lease.ensure(gateway, std::max(request.ttl, shortest_ttl({})), give_up_boot_ns, next);
}

void Caller::exit_if_terminated() {
  if (!latch.is_set()) return;
  end_lease();
  latch.obey();
}

void Caller::end_lease() { lease.end(gateway, plus(os::boot_ns(), kFarewell)); }

Status Caller::look(const Ticket* queue, std::int64_t give_up_boot_ns) {
  for (bool again = true; again;) {
    Txn txn;
    ask_for_snapshots(queue, txn);
    Result<TxnReply> reply = transactions.read(txn, give_up_boot_ns);
    if (!reply.ok()) return reply.error();
    if (Status taken = take_snapshots(queue, reply.value()); !taken.ok()) return taken;
    again = false;
    for (OpenLock& lock : locks) {
      again = again || lock.seen.too_deep;
      lock.deep = lock.seen.too_deep || (lock.deep && !lock.seen.predecessor.empty());
    }
  }
  return {};
}

void Caller::ask_for_snapshots(const Ticket* queue, Txn& txn) const {
  for (std::size_t i = 0; i < locks.size(); ++i)
    ask_for_snapshot(locks[i].keys, place(i, queue), txn);
}

Status Caller::take_snapshots(const Ticket* queue, const TxnReply& reply) {
  std::size_t part = 0;
  for (std::size_t i = 0; i < locks.size(); ++i) {
    OpenLock& lock = locks[i];
    if (!take_snapshot(lock.keys, place(i, queue), reply, part, lock.seen))
      return alien_key(lock.seen.alien);
  }
  return {};
}

bool Caller::holds_all() const {
  for (const OpenLock& lock : locks) {
    const auto ours = std::count_if(
        lock.seen.holders.begin(), lock.seen.holders.end(),
        [this](const auto& holder) { return lease.id() != 0 && holder.lease == lease.id(); });
    if (ours != static_cast<std::int64_t>(lock.spec.take)) return false;
  }
  return true;
}

}  // namespace atmost::etcd
