#include "plan_writer.h"

#include <algorithm>

#include "gateway.h"
#include "os/self.h"

namespace atmost::etcd {
namespace {

// Of the 128 parts of a transaction. Turns beyond these are noted by the next caller.
constexpr unsigned kMostNotes = 32;

bool is_noted(const LockFacts& lock, std::uint64_t ticket) {
  const auto& places = lock.table().places;
  return std::any_of(places.begin(), places.end(),
                     [&](const auto& each) { return each.noted && each.waiter.ticket == ticket; });
}

}  // namespace

Result<PlanWriter::Wrote> PlanWriter::admit(const Instant& now, const Ticket* queue,
                                            std::int64_t give_up_boot_ns) {
  if (Status prepared = intervals_.prepare(give_up_boot_ns); !prepared.ok())
    return prepared.error();
  if (Status leased = caller_.ensure_lease(give_up_boot_ns); !leased.ok()) return leased.error();
  Txn txn;
  notes_ = 0;
  for (std::size_t i = 0; i < caller_.locks.size(); ++i) {
    LockFacts& lock = caller_.locks[i];
    const std::uint64_t ticket = caller_.place(i, queue).ticket;
    take_slots(lock, now, txn);
    note_turns(lock, ticket, txn);
    if (ticket == 0) continue;
    // Our place exists as long as our lease; without that, nothing here is applied.
    const std::string place = lock.keys.waiter(lock.spec, caller_.lease.id());
    txn.created_at(place, ticket).erase(place);
  }
  for (const LockFacts& lock : caller_.locks) {
    const auto slots = lock.reserved().first(lock.plan.take);
    txn.range(lock.keys.held(slots.front()), lock.keys.held(slots.back()) + '\0');
  }
  txn.otherwise();
  caller_.ask_for_snapshots(queue, false, txn);
  const Written written = caller_.transactions.write(txn, give_up_boot_ns);
  if (written.done()) return proves(written.reply) ? Wrote::done : Wrote::doubtful;
  return written.unknown() ? Wrote::doubtful : refused(written, queue, give_up_boot_ns);
}

void PlanWriter::compare(const LockFacts& lock, Txn& txn) const {
  txn.modified_at(lock.keys.last(), lock.seen.last_modified);
  txn.modified_at(lock.keys.state(), lock.seen.state_modified);
  txn.modified_at(lock.keys.rate(), lock.seen.ring_modified);
}

void PlanWriter::take_slots(LockFacts& lock, const Instant& now, Txn& txn) {
  const Request& request = caller_.request;
  compare(lock, txn);
  const std::string record = own_record(request, lock.spec, now).text();
  for (const std::uint32_t slot : lock.reserved().first(lock.plan.take)) {
    txn.created_at(lock.keys.held(slot), 0);
    txn.put(lock.keys.held(slot), record, caller_.lease.id());
  }
  const std::string moment = moment_text(now, os::boot_hash());
  txn.put(lock.keys.last(), moment, caller_.transactions.hint_lease());
  if (request.if_elapsed.is_forever() && request.elapsed_from == ElapsedFrom::start)
    txn.put(lock.keys.ever(ElapsedFrom::start), moment);
  // Otherwise a lease that has been replaced since could have decided it.
  if (has_interval(request))
    txn.modified_at(lock.keys.cooling(request.elapsed_from), lock.seen.cooling_modified);
  intervals_.begin(lock, now.given, txn);
  rates_.record(lock, txn);
}

// Under the waiter's lease: a note does not outlive its place.
void PlanWriter::note_turns(const LockFacts& lock, std::uint64_t own, Txn& txn) {
  for (const rule::Table::Queued& each : lock.table().places) {
    if (!each.noted || each.waiter.ticket == own || notes_ == kMostNotes) continue;
    const auto waiter =
        std::find_if(lock.seen.waiters.begin(), lock.seen.waiters.end(),
                     [&](const auto& one) { return one.ticket == each.waiter.ticket; });
    ++notes_;
    Record record = waiter->record;
    record.turn = {own_place(), each.noted_boot_ns};
    txn.created_at(waiter->key, waiter->ticket).put(waiter->key, record.text(), waiter->lease);
  }
}

bool PlanWriter::any_noted(const rule::Plan& plan) const {
  return std::any_of(caller_.locks.begin(), caller_.locks.begin() + plan.lock_count,
                     [](const LockFacts& lock) { return lock.any_noted(); });
}

Result<PlanWriter::Wrote> PlanWriter::wait(const rule::Plan& plan, const Instant& now,
                                           Ticket* queue, std::int64_t give_up_boot_ns) {
  const bool draws = plan.step == rule::QueueStep::draw;
  const bool drawn = queue != nullptr && queue->drawn;
  const bool notes = any_noted(plan);
  const bool moves = drawn && plan.claims_in != queue->claims_in;
  if (queue != nullptr) {
    queue->due_boot_ns = plan.due_boot_ns;
    queue->claims_in = plan.claims_in;
  }
  if (!draws && !notes && !moves) return Wrote::done;
  if (draws) {
    if (Status leased = caller_.ensure_lease(give_up_boot_ns); !leased.ok()) return leased.error();
  }
  Txn txn;
  notes_ = 0;
  for (std::uint32_t i = 0; i < caller_.locks.size(); ++i) {
    const LockFacts& lock = caller_.locks[i];
    const bool judged = i < plan.lock_count;
    if (judged && lock.any_noted()) compare(lock, txn);
    if (draws || moves || (drawn && judged && is_noted(lock, queue->numbers[i])))
      describe_place(i, plan, now, *queue, txn);
    if (judged) note_turns(lock, drawn ? queue->numbers[i] : 0, txn);
  }
  if (draws) caller_.ask_for_snapshots(queue, true, txn);
  txn.otherwise();
  caller_.ask_for_snapshots(queue, false, txn);
  const Written written = caller_.transactions.write(txn, give_up_boot_ns);
  if (written.unknown()) return draws ? Wrote::doubtful : Wrote::outdated;
  if (!written.done()) {
    // A note is useful to others alone.
    const bool refuses = !written.outdated() && !lease_is_gone(written.answer);
    return refuses && !draws ? Wrote::done : refused(written, queue, give_up_boot_ns);
  }
  if (!draws) return Wrote::done;
  if (Status seen = caller_.take_snapshots(queue, true, written.reply); !seen.ok())
    return seen.error();
  queue->drawn = true;
  for (std::size_t i = 0; i < caller_.locks.size(); ++i) queue->numbers[i] = written.revision();
  return Wrote::changed;
}

// The place of the caller in the queue of one lock: a new one, or its new content.
void PlanWriter::describe_place(std::uint32_t index, const rule::Plan& plan, const Instant& now,
                                const Ticket& queue, Txn& txn) const {
  const LockFacts& lock = caller_.locks[index];
  const Request& request = caller_.request;
  Record record = own_record(request, lock.spec, now);
  for (const Snapshot::Waiter& each : lock.seen.waiters) {
    if (queue.drawn && each.ticket == queue.numbers[index]) record = each.record;
  }
  record.parked = plan.claims_in != index;
  if (queue.drawn && is_noted(lock, queue.numbers[index])) record.turn = {};
  const std::string place = lock.keys.waiter(lock.spec, caller_.lease.id());
  txn.created_at(place, queue.drawn ? queue.numbers[index] : 0);
  txn.put(place, record.text(), caller_.lease.id());
  if (queue.drawn) return;
  if (request.on_busy == OnBusy::supersede)
    txn.put(lock.keys.newest(), "{}", caller_.transactions.hint_lease());
  // More may have come since they were counted.
  if (request.queue_max != kAnyQueue)
    txn.all_created_before(lock.keys.waiters(), lock.seen.revision + 1);
}

// True if the last parts of the transaction show all our keys as the transaction made them.
bool PlanWriter::proves(const TxnReply& reply) {
  std::size_t part = reply.parts.size() - caller_.locks.size();
  for (std::size_t i = 0; i < caller_.locks.size(); ++i) {
    LockFacts& lock = caller_.locks[i];
    lock.seen.holders.clear();
    for (const KeyValue& key : reply.parts[part++].keys) {
      const bool ours = key.lease == caller_.lease.id();
      if (ours && key.created != reply.header.revision) return false;
      if (!take_key(lock.keys, caller_.place(i, nullptr), key, lock.seen)) return false;
    }
  }
  return caller_.holds_all();
}

Result<PlanWriter::Wrote> PlanWriter::refused(const Written& written, const Ticket* queue,
                                              std::int64_t give_up_boot_ns) {
  if (written.outdated()) {
    if (Status seen = caller_.take_snapshots(queue, false, written.reply); !seen.ok())
      return seen.error();
    return Wrote::changed;
  }
  if (!lease_is_gone(written.answer)) return failure(written.answer, "not admitted");
  // Ours, or that of a waiter whose turn was noted: if it is ours, the next try gets another one.
  const bool ours =
      caller_.lease.id() != 0 && !caller_.lease.prove(caller_.gateway, give_up_boot_ns).ok();
  if (ours) caller_.lease.forsake();
  return Wrote::outdated;
}

}  // namespace atmost::etcd
