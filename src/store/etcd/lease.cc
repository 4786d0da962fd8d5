#include "lease.h"

#include <algorithm>
#include <utility>

#include "core/lease_time.h"
#include "hint_lease.h"
#include "os/clock.h"
#include "os/self.h"

namespace atmost::etcd {

void EtcdHold::begin() {
  std::vector<HeldSlot> slots;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const OpenLock& lock = caller_.locks[i];
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
  holds_ = true;
  const Request& request = caller_.request;
  const Duration ttl = std::max(request.ttl, shortest_ttl({}));
  const Duration grace = ttl >= shortest_ttl(request.kill_grace) ? request.kill_grace : Duration{};
  caller_.lease.hold(caller_.gateway, std::move(slots), renewal_pause(ttl, grace),
                     renewal_reserve(grace, request.on_lost == OnLost::warn));
  caller_.latch.disarm();
}

void EtcdHold::release(Ending ending, const Instant& now) {
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
  const std::int64_t hints = hint_lease(caller_.gateway.access().prefix);
  for (std::size_t i = 0; i < held_.size(); ++i) {
    OpenLock& lock = caller_.locks[i];
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
    for (OpenLock& lock : caller_.locks) rates_.take_back(lock, end);
  }
  if (!lease.upkeep().lost) {
    TxnReply reply;
    Answer answer;
    const Applied applied =
        caller_.transactions.write(txn, end, reply, answer, Gateway::Repeat::yes);
    left_until_ns_ = applied == Applied::unknown ? until : 0;
  }
  if (lease.end(caller_.gateway, end)) left_until_ns_ = 0;
  caller_.gateway.hang_up();
}

}  // namespace atmost::etcd
