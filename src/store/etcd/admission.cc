#include "admission.h"

#include <algorithm>

#include "hint_lease.h"
#include "os/self.h"
#include "view.h"
#include "words.h"

namespace atmost::etcd {

Result<Applied> Admission::admit(const Instant& now, const Ticket* queue,
                                 std::int64_t give_up_boot_ns) {
  if (Status prepared = intervals_.prepare(give_up_boot_ns); !prepared.ok())
    return prepared.error();
  caller_.lease.choose();
  Txn txn;
  std::vector<std::pair<std::string, std::string>> ours;  // from the first key to behind the last
  for (std::uint32_t i = 0; i < caller_.locks.size(); ++i) {
    OpenLock& lock = caller_.locks[i];
    const CallerPlace who = caller_.place(i, queue);
    lock.place_kept = who.ticket != 0 && caller_.keeps_place();
    const std::vector<std::uint32_t> slots = free_slots(lock.seen, who);
    if (slots.size() != lock.spec.take || slots.empty())
      return error_of(Code::internal, 0, "a lock admits more than it has slots");
    add(i, who, now, slots, Last::compared, txn);
    ours.emplace_back(lock.keys.held(slots.front()), lock.keys.held(slots.back()) + '\0');
  }
  for (const auto& [first, end] : ours) txn.range(first, end);
  txn.otherwise();
  caller_.ask_for_snapshots(queue, txn);
  TxnReply reply;
  Answer answer;
  const Result<Applied> written = write(txn, give_up_boot_ns, reply, answer);
  if (!written.ok()) return written.error();
  switch (written.value()) {
    case Applied::yes:
      return proves(reply) ? Applied::yes : Applied::unknown;
    case Applied::no:
      return refused(answer, queue, reply);
    case Applied::unknown:
      break;
  }
  return Applied::unknown;
}

bool Admission::may_come_unseen(const Ticket* queue) const {
  const Request& request = caller_.request;
  const bool plain_wait = request.on_busy == OnBusy::fail || request.on_busy == OnBusy::skip;
  const bool dated = !request.if_elapsed.is_zero() || request.if_elapsed_auto ||
                     request.rate.count > 0 || request.now_given;
  const bool takes_over = !request.expire_after.is_forever() || request.expire_auto;
  return queue != nullptr && !queue->drawn && !queue->for_rate_only && caller_.keeps_place() &&
         plain_wait && request.queue_max == kAnyQueue && !dated && !takes_over;
}

Result<Applied> Admission::admit_unseen(const Instant& now, Ticket& queue, Queue& places,
                                        std::int64_t give_up_boot_ns) {
  caller_.lease.choose();
  OpenLock& lock = caller_.locks[0];
  lock.place_kept = false;
  Txn txn;
  // That there are none, not what was seen of them, is compared by etcd: add() compares the rest.
  for (const std::string& none : {lock.keys.holders(), lock.keys.takings(), lock.keys.waiters()}) {
    txn.all_created_before(none, 1);
  }
  add(0, caller_.place(0, &queue), now, {1}, Last::any, txn);
  txn.range(lock.keys.held(1), lock.keys.held(1) + '\0');
  txn.otherwise();
  caller_.ask_for_snapshots(&queue, txn);
  const std::size_t first_place = txn.other_parts().size();
  places.add_places(now, txn);
  TxnReply reply;
  Answer answer;
  const Result<Applied> written = write(txn, give_up_boot_ns, reply, answer);
  if (!written.ok()) return written.error();
  if (written.value() == Applied::yes) return proves(reply) ? Applied::yes : Applied::unknown;
  if (written.value() == Applied::no && answer.kind == Answer::Kind::good) {
    if (Status seen = caller_.take_snapshots(&queue, reply); !seen.ok()) return seen.error();
    places.take_places(reply, first_place, queue);
    return Applied::no;
  }
  // Whatever it has made ends with the lease.
  caller_.lease.end(caller_.gateway, give_up_boot_ns);
  return Applied::unknown;
}

Result<Applied> Admission::write(const Txn& txn, std::int64_t give_up_boot_ns, TxnReply& reply,
                                 Answer& answer) {
  const Ahead renewal = caller_.lease.renewal_question();
  const std::int64_t lease = caller_.lease.id();
  if (Status leased = caller_.ensure_lease(give_up_boot_ns, {Transactions::ahead(txn), renewal});
      !leased.ok())
    return leased.error();
  // The lease was lost just now: what the transaction may have made ends with it.
  if (caller_.lease.id() != lease) return Applied::unknown;
  return caller_.transactions.write(txn, give_up_boot_ns, reply, answer, Gateway::Repeat::no,
                                    {renewal});
}

void Admission::add(std::uint32_t index, const CallerPlace& who, const Instant& now,
                    const std::vector<std::uint32_t>& slots, Last last, Txn& txn) {
  const Request& request = caller_.request;
  OpenLock& lock = caller_.locks[index];
  const std::int64_t lease = caller_.lease.id();
  if (last == Last::compared) txn.modified_at(lock.keys.last(), lock.seen.last_modified);
  txn.modified_at(lock.keys.state(), lock.seen.state_modified);
  Record record = own_record(request, lock.spec, now);
  for (const std::uint32_t slot : slots) {
    txn.created_at(lock.keys.held(slot), 0);
    txn.put(lock.keys.held(slot), record.text(), lease);
  }
  for (const Snapshot::Waiter& each : lock.seen.passed) {
    Record overtaken = each.record;
    overtaken.passed = true;
    txn.created_at(each.key, each.ticket).put(each.key, overtaken.text(), each.lease);
  }
  const std::string moment = moment_text(now, os::boot_hash());
  txn.put(lock.keys.last(), moment, hint_lease(caller_.gateway.access().prefix));
  if (request.if_elapsed.is_forever() && request.elapsed_from == ElapsedFrom::start)
    txn.put(lock.keys.ever(ElapsedFrom::start), moment);
  // Otherwise a lease that has been replaced since could have decided it.
  if (has_interval(request))
    txn.modified_at(lock.keys.cooling(request.elapsed_from), lock.seen.cooling_modified);
  intervals_.begin(lock, now.given, txn);
  rates_.record(lock, txn);
  if (who.ticket == 0) return;
  // Our place exists as long as our lease; without that, nothing here is applied.
  const std::string place = lock.keys.waiter(lock.spec, lease);
  if (!lock.place_kept) {
    txn.erase(place);
    return;
  }
  record.inside = true;
  record.state = lock.seen.state_modified;
  txn.put(place, record.text(), lease);
}

// Whether the last parts of the transaction show all our keys as the transaction made them.
bool Admission::proves(const TxnReply& reply) {
  std::size_t part = reply.parts.size() - caller_.locks.size();
  for (std::size_t i = 0; i < caller_.locks.size(); ++i) {
    OpenLock& lock = caller_.locks[i];
    lock.seen.holders.clear();
    for (const KeyValue& key : reply.parts[part++].keys) {
      const bool ours = key.lease == caller_.lease.id();
      if (ours && key.created != reply.header.revision) return false;
      if (!take_key(lock.keys, caller_.place(i, nullptr), key, lock.seen)) return false;
    }
  }
  return caller_.holds_all();
}

Result<Applied> Admission::refused(const Answer& answer, const Ticket* queue,
                                   const TxnReply& reply) {
  if (answer.kind == Answer::Kind::good) {
    if (Status seen = caller_.take_snapshots(queue, reply); !seen.ok()) return seen.error();
    const bool far = std::any_of(caller_.locks.begin(), caller_.locks.end(),
                                 [](const OpenLock& lock) { return lock.seen.too_deep; });
    return far ? Applied::unknown : Applied::no;
  }
  if (!lease_is_gone(answer)) return failure(answer, "not admitted");
  caller_.lease.forsake();
  return Applied::unknown;
}

// Our record under another lease: the answer cannot be right, or it is left of an admission that
// was lost.
bool Admission::sees_itself(const Instant& now) const {
  return std::any_of(caller_.locks.begin(), caller_.locks.end(), [&](const OpenLock& lock) {
    const std::string own = own_record(caller_.request, lock.spec, now).text();
    return std::any_of(lock.seen.holders.begin(), lock.seen.holders.end(), [&](const auto& holder) {
      return holder.record && holder.record->text() == own;
    });
  });
}

}  // namespace atmost::etcd
