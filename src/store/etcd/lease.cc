// The slots that this caller holds in etcd.
#include <algorithm>
#include <utility>

#include "core/lease_time.h"
#include "os/clock.h"
#include "os/self.h"
#include "session.h"

namespace atmost::etcd {

// Begins the hold of what the last snapshots show as ours: from now on the connection that carried
// the admission renews the lease and looks for requests to stop. REQUIRES: Caller::holds_all(), and
// that the lease was renewed by that connection (OwnLease::prove()).
Status EtcdSession::begin_hold(std::int64_t asked_boot_ns) {
  const Request& request = caller_.request;
  const Duration ttl = std::max(request.ttl, shortest_ttl({}));
  // From a ttl after the admission on others may ask whether we are there (presence.h).
  if (caller_.lease.upkeep().lost || os::boot_ns() - asked_boot_ns > ttl.ns)
    return error_of(Code::unavailable, 0, "etcd: the lease ended before the command began");
  std::vector<HeldSlot> slots;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const LockFacts& lock = caller_.locks[i];
    HeldLock& held = held_[i];
    held = {};
    for (const Snapshot::Holder& holder : lock.seen.holders) {
      if (holder.lease != caller_.lease.id()) continue;
      held.token = holder.token;
      held.slots[held.count++] = holder.slot;
    }
    slots.push_back({lock.keys.asked(), lock.keys.questions(), lock.keys.held(held.slots[0]),
                     lock.keys.held(held.slots[held.count - 1]), held.count, held.token,
                     os::boot_ns()});
  }
  const Duration grace = ttl >= shortest_ttl(request.kill_grace) ? request.kill_grace : Duration{};
  caller_.latch.disarm();
  Status held = caller_.lease.hold(caller_.gateway, std::move(slots), renewal_pause(ttl, grace),
                                   renewal_reserve(grace, request.on_lost == OnLost::warn));
  holds_ = held.ok();
  return held;
}

void EtcdSession::release(Ending ending, const Instant& now) {
  if (!std::exchange(holds_, false)) return;
  OwnLease& lease = caller_.lease;
  lease.let_go(caller_.gateway);
  // After the election of another leader, others would have to wait for the whole ttl. Once the
  // lease is over, there is nothing to release any more.
  const std::int64_t until = lease.upkeep().until_boot_ns;
  const std::int64_t end = std::min(caller_.give_up(), until);
  intervals_.prepare_end(ending, now, end);
  Txn txn;
  const std::string moment = moment_text(now, os::boot_hash());
  const std::int64_t hints = caller_.transactions.hint_lease();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    LockFacts& lock = caller_.locks[i];
    for (std::uint32_t j = 0; j < held_[i].count; ++j) {
      // If the lease has ended unnoticed, another caller may have the slot by now.
      const std::string slot = lock.keys.held(held_[i].slots[j]);
      txn.created_at(slot, held_[i].token).erase(slot);
    }
    if (is_finish(ending)) txn.put(lock.keys.finish(), moment, hints);
    if (ending == Ending::success) txn.put(lock.keys.success(), moment, hints);
    intervals_.begin_at_end(lock, moment, txn);
    held_[i] = {};
  }
  if (!lease.upkeep().lost && ending == Ending::not_started) {
    for (LockFacts& lock : caller_.locks) rates_.take_back(lock, end);
  }
  const bool lost = lease.upkeep().lost;
  if (!lost && caller_.transactions.write(txn, end, Gateway::Repeat::yes).done()) {
    lease.forsake();  // nothing lies under it any more: it ends by itself
    left_until_ns_ = 0;
  } else {
    left_until_ns_ = lease.end(caller_.gateway, end) || lost ? 0 : until;
  }
  caller_.gateway.hang_up();
}

}  // namespace atmost::etcd
