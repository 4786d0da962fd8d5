#include "rates.h"

#include <algorithm>

#include "hint_lease.h"
#include "os/clock.h"
#include "view.h"

namespace atmost::etcd {
namespace {

// A lease that ends with a window could be over before it, if a machine's date is wrong.
constexpr Duration kShortWindow = Duration::seconds(3600);
// A waiter that is due and does not come is noticed so much later by each behind it.
constexpr Duration kForEachAhead = Duration::millis(100);

// The ring as it is, or as the first caller with a rate makes it.
Ring ring_of(const Snapshot& seen, const Instant& now) {
  if (seen.ring) return *seen.ring;
  Ring ring;
  if (seen.last_modified == 0 || seen.forgotten()) return ring;
  Ring::Entry last = {seen.last_place, seen.last.boot_ns, seen.last.real_ns / 1000};
  // A moment that a version without rates wrote has no place: it counts from now on.
  const bool dated = seen.last.known && (seen.last_place != 0 || !seen.last.same_boot);
  if (!dated) last = {own_place(), now.boot_ns, now.real_ns / 1000};
  ring.entries.push_back(last);
  return ring;
}

}  // namespace

void Rates::see(const Instant& now, const Ticket* queue, std::int64_t seen_boot_ns) {
  const Rate& rate = caller_.request.rate;
  for (std::size_t i = 0; i < caller_.locks.size(); ++i) {
    OpenLock& lock = caller_.locks[i];
    Snapshot& seen = lock.seen;
    lock.early_ahead = false;
    if (!seen.ring && rate.count == 0) continue;
    lock.admissions.see(ring_of(seen, now), own_place(), now, seen_boot_ns);
    const std::int64_t ours = rate.count > 0 ? lock.admissions.due_boot_ns(rate, now) : 0;
    bool later = !seen.more_waiters && !seen.waiters.empty();
    for (Snapshot::Waiter& each : seen.waiters) {
      const Rate& its = each.record.rate;
      const std::int64_t due = its.count > 0 ? lock.admissions.due_boot_ns(its, now) : 0;
      each.early = due > 0;
      later = later && due > ours;
    }
    if (!later || queue == nullptr || !queue->drawn) continue;
    // We wait for none of them, but for the lock.
    lock.early_ahead = true;
    seen.predecessor.clear();
    seen.ahead = {};
  }
}

Stamp Rates::first_in_rate(const OpenLock& lock) const {
  const Rate& rate = caller_.request.rate;
  return rate.count > 0 ? lock.admissions.first_of_last(rate.count) : Stamp{};
}

void Rates::put(const OpenLock& lock, const Ring& ring, Txn& txn) const {
  const bool is_short = ring.window_ns <= kShortWindow.ns;
  txn.put(lock.keys.rate(), ring.text(),
          is_short ? hint_lease(caller_.gateway.access().prefix) : 0);
}

void Rates::record(OpenLock& lock, Txn& txn) const {
  txn.modified_at(lock.keys.rate(), lock.seen.ring_modified);
  lock.admitted.reset();
  if (!lock.seen.ring && caller_.request.rate.count == 0) return;
  const Ring ring = lock.admissions.with_ours(caller_.request.rate);
  lock.admitted = ring.entries.back();
  put(lock, ring, txn);
}

void Rates::take_back(OpenLock& lock, std::int64_t give_up_boot_ns) const {
  if (!lock.admitted) return;
  Txn look;
  look.range(lock.keys.rate());
  const Result<TxnReply> found = caller_.transactions.read(look, give_up_boot_ns);
  if (!found.ok() || found.value().parts[0].keys.empty()) return;
  const KeyValue& key = found.value().parts[0].keys[0];
  std::optional<Ring> ring = parse_ring(key.value);
  if (!ring || !ring->take_back(*lock.admitted)) return;
  Txn txn;
  txn.modified_at(lock.keys.rate(), key.modified);
  put(lock, *ring, txn);
  TxnReply reply;
  Answer answer;
  (void)caller_.transactions.write(txn, give_up_boot_ns, reply, answer);
}

void Rates::leave_word(OpenLock& lock, std::int64_t give_up_boot_ns) {
  const Request& request = caller_.request;
  if (request.rate.count == 0 || request.now_given || !lock.admissions.has_news()) return;
  Snapshot& seen = lock.seen;
  Ring ring = lock.admissions.known(request.rate);
  Txn txn;
  txn.modified_at(lock.keys.rate(), seen.ring_modified);
  txn.modified_at(lock.keys.last(), seen.last_modified);
  txn.modified_at(lock.keys.state(), seen.state_modified);
  put(lock, ring, txn);
  TxnReply reply;
  Answer answer;
  if (caller_.transactions.write(txn, give_up_boot_ns, reply, answer) != Applied::yes) return;
  seen.ring = std::move(ring);
  seen.ring_modified = reply.header.revision;
}

std::int64_t Rates::look_at_boot_ns(const OpenLock& lock, const Ticket& ticket) const {
  if (ticket.due_boot_ns == 0) return Duration::kForever;
  if (lock.seen.predecessor.empty()) return ticket.due_boot_ns;
  if (lock.seen.more_waiters || lock.seen.waiters.empty()) return Duration::kForever;
  const auto ahead = static_cast<std::int64_t>(lock.seen.waiters.size());
  return plus(ticket.due_boot_ns, {ahead * kForEachAhead.ns});
}

}  // namespace atmost::etcd
