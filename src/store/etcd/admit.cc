// Admission: look, decide, take, look again.
#include <algorithm>

#include "core/lease_time.h"
#include "etcd_store.h"
#include "os/clock.h"
#include "os/self.h"
#include "view.h"
#include "words.h"

namespace atmost::etcd {
namespace {

bool admits(const Decision& decision) { return decision.verdict == Verdict::admit; }

}  // namespace

Result<Decision> EtcdStore::decide_all(const Request& request, DecideFn decide, const Instant& now,
                                       const Ticket* queue, std::int64_t give_up_boot_ns) {
  Decision decision;
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    Entry& entry = entries_[i];
    if (Status cooled = read_cooled(request, entry, give_up_boot_ns); !cooled.ok())
      return cooled.error();
    const View view =
        view_of(entry.seen, viewer(request, i, queue), now, entry.cooled_ns, holders_);
    decision = decide(request, entry.spec, view, now);
    decision.lock = i;
    // Whether it may stop holders of any age, or those who are due: they will know better than we
    // how old they are.
    const bool replace = request.on_busy == OnBusy::replace && view.last_chance;
    due_ns_ = replace || request.expire_after.is_forever() ? 0 : request.expire_after.ns;
    if (!admits(decision)) break;
  }
  return decision;
}

bool EtcdStore::holds_all() const {
  for (const Entry& entry : entries_) {
    const auto ours = std::count_if(
        entry.seen.holders.begin(), entry.seen.holders.end(),
        [this](const auto& holder) { return lease_.id() != 0 && holder.lease == lease_.id(); });
    if (ours != static_cast<std::int64_t>(entry.spec.take)) return false;
  }
  return true;
}

// What the last snapshot shows as ours.
void EtcdStore::take_up(const Request& request) {
  std::vector<Listening> listening;
  for (Entry& entry : entries_) {
    entry.held = {};
    for (const Snapshot::Holder& holder : entry.seen.holders) {
      if (holder.lease != lease_.id()) continue;
      entry.held.token = holder.token;
      entry.held.slots[entry.held.count++] = holder.slot;
    }
    listening.push_back({entry.keys.asked(), entry.keys.held(entry.held.slots[0]), entry.held.token,
                         os::boot_ns()});
  }
  holding_ = true;
  if_elapsed_ = request.if_elapsed;
  elapsed_from_ = request.elapsed_from;
  const Duration ttl = std::max(request.ttl, shortest_ttl({}));
  const Duration grace = ttl >= shortest_ttl(request.kill_grace) ? request.kill_grace : Duration{};
  lease_.hold(gateway_, std::move(listening), renewal_pause(ttl, grace));
  stop_following();
  parting_.disarm();
}

void EtcdStore::add_admission(const Request& request, std::uint32_t lock, const Viewer& who,
                              const Instant& now, const std::vector<std::uint32_t>& slots,
                              Txn& txn) {
  Entry& entry = entries_[lock];
  txn.modified_at(entry.keys.last(), entry.seen.last_modified);
  txn.modified_at(entry.keys.state(), entry.seen.state_modified);
  Record record = own_record(request, entry.spec, now);
  for (const std::uint32_t slot : slots) {
    txn.created_at(entry.keys.held(slot), 0);
    txn.put(entry.keys.held(slot), record.text(), lease_.id());
  }
  for (const Snapshot::Waiter& each : entry.seen.passed) {
    Record overtaken = each.record;
    overtaken.passed = true;
    txn.created_at(each.key, each.ticket).put(each.key, overtaken.text(), each.lease);
  }
  const std::string moment = moment_text(now, os::boot_hash());
  txn.put(entry.keys.last(), moment, memory_lease());
  if (request.if_elapsed.is_forever() && request.elapsed_from == ElapsedFrom::start)
    txn.put(entry.keys.ever(ElapsedFrom::start), moment);
  // Else it may be decided by a lease that somebody has put another in the place of since.
  if (has_interval(request))
    txn.modified_at(entry.keys.cooling(request.elapsed_from), entry.seen.cooling_modified);
  if (entry.interval.lease != 0) begin_interval(entry, now.given, txn);
  if (who.ticket == 0) return;
  // It is there as long as our lease, without which nothing of this is done.
  const std::string place = entry.keys.waiter(entry.spec, lease_.id());
  if (!entry.place_kept) {
    txn.erase(place);
    return;
  }
  record.inside = true;
  record.state = entry.seen.state_modified;
  txn.put(place, record.text(), lease_.id());
}

bool EtcdStore::proves(const Request& request, const TxnReply& reply) {
  std::size_t part = reply.parts.size() - entries_.size();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    entry.seen.holders.clear();
    for (const KeyValue& key : reply.parts[part++].keys) {
      const bool ours = key.lease == lease_.id();
      if (ours && key.created != reply.header.revision) return false;
      if (!take_key(entry.keys, viewer(request, i, nullptr), key, entry.seen)) return false;
    }
  }
  return holds_all();
}

Result<EtcdStore::Applied> EtcdStore::admit(const Request& request, const Instant& now,
                                            Ticket* queue, std::int64_t give_up_boot_ns) {
  if (Status leased = ensure_lease(request, give_up_boot_ns); !leased.ok()) return leased.error();
  if (Status prepared = prepare_intervals(request, give_up_boot_ns); !prepared.ok()) {
    return prepared.error();
  }
  Txn txn;
  std::vector<std::pair<std::string, std::string>> ours;  // from the first key to behind the last
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    Entry& entry = entries_[i];
    const Viewer who = viewer(request, i, queue);
    entry.place_kept = who.ticket != 0 && keeps_place();
    const std::vector<std::uint32_t> slots = free_slots(entry.seen, who);
    if (slots.size() != entry.spec.take || slots.empty()) {
      return error_of(Code::internal, 0, "a lock admits more than it has slots");
    }
    add_admission(request, i, who, now, slots, txn);
    ours.emplace_back(entry.keys.held(slots.front()), entry.keys.held(slots.back()) + '\0');
  }
  for (const auto& [first, end] : ours) txn.range(first, end);
  txn.otherwise();
  ask_for_snapshots(request, queue, txn);
  TxnReply reply;
  Answer answer;
  switch (write(txn, give_up_boot_ns, reply, answer)) {
    case Applied::yes:
      return proves(request, reply) ? Applied::yes : Applied::unknown;
    case Applied::no:
      if (answer.kind == Answer::Kind::good) {
        if (Status seen = take_snapshots(request, queue, reply); !seen.ok()) return seen.error();
        const bool far = std::any_of(entries_.begin(), entries_.end(),
                                     [](const Entry& entry) { return entry.seen.too_deep; });
        return far ? Applied::unknown : Applied::no;
      }
      if (!lease_is_gone(answer)) return failure(answer, "not admitted");
      lease_.forsake();
      return Applied::unknown;
    case Applied::unknown:
      break;
  }
  return Applied::unknown;
}

// Under a lease that is not ours: an answer that cannot be right, or what is left of an admission
// that was lost.
bool EtcdStore::stands_in_its_own_way(const Request& request, const Instant& now) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    const std::string own = own_record(request, entry.spec, now).text();
    return std::any_of(
        entry.seen.holders.begin(), entry.seen.holders.end(),
        [&](const auto& holder) { return holder.record && holder.record->text() == own; });
  });
}

bool EtcdStore::lost_place(const Ticket* queue) const {
  return queue != nullptr && queue->drawn &&
         std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry& entry) { return !entry.seen.ticket_is_there; });
}

Result<Decision> EtcdStore::enter(const Request& request, Ticket* queue, Lease& lease) {
  leave_if_told();
  // By the connection that will carry every later one: nobody starts what cannot be kept.
  if (Status proven = lease_.prove(gateway_, give_up()); !proven.ok()) {
    lease_.end(gateway_, give_up());
    return give_in(proven.error());
  }
  if (Status settled = settle_intervals(request.now_given); !settled.ok()) {
    lease_.end(gateway_, give_up());
    return give_in(settled.error());
  }
  leave_if_told();
  if (lease_.upkeep().lost)
    return error_of(Code::unavailable, 0, "etcd: the lease ended before the command began");
  take_up(request);
  if (queue != nullptr) *queue = {};
  lease = Lease(this, 0);
  Decision admitted;
  admitted.verdict = Verdict::admit;
  admitted.why = Why::none;
  return admitted;
}

Result<Decision> EtcdStore::attempt(const Request& request, DecideFn decide, const Instant& now,
                                    Ticket* queue, Lease& lease) {
  leave_if_told();
  if (holding_) return error_of(Code::internal, 0, "this store holds a lock already");
  if (Status opened = open(request); !opened.ok()) return opened.error();
  std::int64_t end = give_up();
  bool in_doubt = false;  // an admission of ours may have been made
  bool guessed = std::exchange(foreseen_, false) && queue != nullptr && queue->drawn;
  bool seen = guessed || (up_to_date_ && queue != nullptr && queue->drawn);
  for (;;) {
    leave_if_told();
    if (queue != nullptr && queue->drawn && lease_.upkeep().lost) {
      *queue = {};
      seen = false;
    }
    if (!seen) {
      // A watch that was begun from another place tells nothing of those before the next one.
      if (queue != nullptr && !queue->drawn) stop_following();
      if (Status looked = look(request, queue, end); !looked.ok()) {
        if (in_doubt) lease_.abandon();  // what we may hold ends with the lease
        return give_in(looked.error());
      }
      up_to_date_ = watched_ == Watched::admissions && entries_[0].seen.predecessor.empty();
    }
    seen = false;
    if (in_doubt && holds_all()) return enter(request, queue, lease);
    if (lost_place(queue)) {
      *queue = {};
      continue;
    }
    pass_turns(request, queue);
    if (queue == nullptr) {
      if (Status passed = pass_the_dead(request, end); !passed.ok()) return give_in(passed.error());
    }
    Result<Decision> decision = decide_all(request, decide, now, queue, end);
    if (!decision.ok()) return give_in(decision.error());
    if (!admits(decision.value()) && std::exchange(guessed, false)) continue;
    if (!admits(decision.value())) {
      blocked_ = decision.value().lock;
      if (decision.value().verdict == Verdict::too_soon)
        bear_witness(request, entries_[blocked_], end);
      if (queue != nullptr && !queue->drawn && worth_waiting(decision.value())) {
        const Result<bool> drawn = draw(request, now, *queue, end);
        if (!drawn.ok()) return give_in(drawn.error());
        if (!drawn.value()) continue;
      } else if (in_doubt && stands_in_its_own_way(request, now)) {
        // Busy, or too soon, would be said of ourselves.
        return give_in(error_of(Code::unavailable, 0, "etcd: its answers contradict each other"));
      } else if (queue != nullptr && queue->drawn && decision.value().verdict == Verdict::busy) {
        if (Status stood = stand_up(request, now, *queue, end); !stood.ok())
          return give_in(stood.error());
      }
      return decision;
    }
    const Result<Applied> admitted = admit(request, now, queue, end);
    if (!admitted.ok()) return give_in(admitted.error());
    guessed = false;
    if (admitted.value() == Applied::yes) return enter(request, queue, lease);
    if (lease_.id() == 0 && queue != nullptr) *queue = {};
    in_doubt = in_doubt || admitted.value() == Applied::unknown;
    if (admitted.value() == Applied::no) {
      seen = true;
      end = give_up();  // it answers; others were faster
    }
  }
}

}  // namespace atmost::etcd
