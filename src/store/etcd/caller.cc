#include "caller.h"

#include <algorithm>

#include "core/lease_time.h"
#include "gateway.h"
#include "os/clock.h"

namespace atmost::etcd {
namespace {

// A process that received a termination signal does not wait long for a store that does not answer;
// its lease ends by itself.
constexpr Duration kFarewell = Duration::seconds(2);

}  // namespace

Caller::Caller(const Access& access, ClusterHistory& history, const Request& asked, bool alone)
    : request(asked), gateway(access, history), lease(access, history), latches(alone) {
  for (std::uint32_t i = 0; i < request.lock_count; ++i)
    locks.emplace_back(access.prefix, request.locks[i], transactions);
}

CallerPlace Caller::place(std::size_t lock, const Ticket* queue) const {
  const bool drawn = queue != nullptr && queue->drawn;
  return {request, locks[lock].spec, drawn ? queue->numbers[lock] : 0, lease.id()};
}

Status Caller::ensure_lease(std::int64_t give_up_boot_ns) {
  if (latches) latch.arm();
  return lease.ensure(gateway, std::max(request.ttl, shortest_ttl({})), give_up_boot_ns);
}

void Caller::exit_if_terminated() {
  if (!latch.is_set()) return;
  end_lease();
  latch.obey();
}

void Caller::end_lease() { lease.end(gateway, plus(os::boot_ns(), kFarewell)); }

Status Caller::look(const Ticket* queue) {
  Txn txn;
  ask_for_snapshots(queue, false, txn);
  const Result<TxnReply> reply = transactions.read(txn, give_up());
  return reply.ok() ? take_snapshots(queue, false, reply.value()) : Status(reply.error());
}

void Caller::ask_for_snapshots(const Ticket* queue, bool draws, Txn& txn) const {
  for (std::size_t i = 0; i < locks.size(); ++i) {
    CallerPlace asked = place(i, queue);
    asked.draws = draws;
    ask_for_snapshot(locks[i].keys, asked, txn);
  }
}

Status Caller::take_snapshots(const Ticket* queue, bool draws, const TxnReply& reply) {
  Txn asked;
  ask_for_snapshots(queue, draws, asked);
  std::size_t part = reply.parts.size() - asked.parts().size();
  for (std::size_t i = 0; i < locks.size(); ++i) {
    LockFacts& lock = locks[i];
    CallerPlace where = place(i, queue);
    where.draws = draws;
    if (!take_snapshot(lock.keys, where, reply, part, lock.seen)) return alien_key(lock.seen.alien);
  }
  return {};
}

void Caller::put_state(const Keys& keys, const State& state, Txn& txn) const {
  const bool ordered = state.drained || !state.drained_slots.empty();
  txn.put(keys.state(), state.text(), ordered ? 0 : transactions.hint_lease());
}

bool Caller::holds_all() const {
  for (const LockFacts& lock : locks) {
    const auto ours = std::count_if(
        lock.seen.holders.begin(), lock.seen.holders.end(),
        [this](const auto& holder) { return lease.id() != 0 && holder.lease == lease.id(); });
    if (ours != static_cast<std::int64_t>(lock.spec.take)) return false;
  }
  return true;
}

}  // namespace atmost::etcd
