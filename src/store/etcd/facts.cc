#include "facts.h"

#include <algorithm>

#include "gateway.h"
#include "os/self.h"
#include "store/fleet/locks.h"

namespace atmost::etcd {

void LockFacts::begin(const CallerPlace& place, const Instant& now, std::int64_t turns_boot_ns) {
  request_ = &place.request;
  now_ = now;
  turns_boot_ns_ = turns_boot_ns;
  rule::Table table;
  table.state = rule_state(seen.state, seen.last_modified);
  table.state.superseding = seen.superseding;
  ring_ = admissions.stamps();
  table.state.recorded = ring_.size();
  if (admissions.dropped()) table.state.unknown_before = ring_.front();
  table.state.last = last();
  table.ring = ring_;
  holders_.clear();
  for (const Snapshot::Holder& each : seen.holders) {
    holders_.push_back(holder_view(each));
    table.writer = table.writer || !each.record || each.record->mode == Mode::exclusive;
  }
  table.holders = holders_;
  taken_over_.clear();
  for (const auto& [slot, lease] : seen.taken) {
    // A taker writes it under a lease: a key without one was written by hand.
    if (lease != place.lease || place.lease == 0) taken_over_.push_back(slot);
  }
  table.taken_over = taken_over_;
  table.drained = seen.state.drained_slots;
  places_.clear();
  for (const Snapshot::Waiter& each : seen.waiters) places_.push_back(queued(each));
  table.places = places_;
  set({request_, &spec, place.ticket}, table);
}

// The moments of the last admission and its end. An interval is measured by cooled_ns: no machine's
// clock has its beginning.
LastAdmission LockFacts::last() const {
  const Request& request = *request_;
  LastAdmission last;
  if (!seen.forgotten()) {
    last.start = seen.last;
    last.finish = seen.finish;
    last.success = seen.success;
  }
  if (request.if_elapsed.is_forever() && seen.ever.known)
    last.start = last.finish = last.success = seen.ever;
  if (!now_.given && has_interval(request)) {
    const Stamp counted = {now_.real_ns - cooled_ns, now_.boot_ns - cooled_ns, true,
                           cooled_ns >= 0};
    last.start = last.finish = last.success = counted;
  }
  if (request.rate.count > 0 && !ring_.empty()) {
    const Stamp& newest = ring_.back();
    const bool has_start = has_interval(request) && last.start.known;
    if (!has_start || newest.boot_ns > last.start.boot_ns) last.start = newest;
  }
  return last;
}

rule::Table::Queued LockFacts::queued(const Snapshot::Waiter& from) {
  rule::Table::Queued to;
  const Record& record = from.record;
  to.queue = from.queue;
  to.joins = record.joins;
  to.waiter.ticket = from.ticket;
  to.waiter.max = record.max;
  to.waiter.take = record.take;
  to.waiter.writer = record.mode == Mode::exclusive;
  to.waiter.parked = record.parked;
  to.waiter.turn_boot_ns = turn_of(from);
  // Its own clock, by which it knows when it is due, may be another machine's: the admissions say
  // it by ours. In the past for a waiter that is due.
  if (record.rate.count > 0)
    to.waiter.due_boot_ns = std::max<std::int64_t>(admissions.due_boot_ns(record.rate, now_), 1);
  return to;
}

std::int64_t LockFacts::turn_of(const Snapshot::Waiter& waiter) {
  const Turn& turn = waiter.record.turn;
  if (turn.boot_ns == 0) return 0;
  if (turn.place != 0 && turn.place == own_place()) return turn.boot_ns;
  SeenTurn& known = turns_[waiter.ticket];
  if (known.turn != turn) known = {turn, turns_boot_ns_};
  return known.seen_boot_ns;
}

std::vector<LockFacts::Claimant> LockFacts::claimants(std::uint64_t ticket) const {
  std::vector<Claimant> all;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const rule::Waiter& each = places_[i].waiter;
    if (!rule::is_before(each.ticket, ticket)) break;
    // A reader is before a plain caller only if a writer is.
    const bool claims = places_[i].queue == rule::queue_of(spec) || each.writer;
    const bool had_turn = each.turn_boot_ns != 0 && turns_boot_ns_ - each.turn_boot_ns >= kTurn.ns;
    if (claims && !each.parked && each.due_boot_ns <= now_.boot_ns && !had_turn)
      all.push_back({seen.waiters[i].lease, seen.waiters[i].key});
  }
  return all;
}

std::int64_t LockFacts::last_boot_ns() {
  const bool here = seen.last.known && seen.last.same_boot && seen.last_place != 0 &&
                    seen.last_place == own_place();
  return here ? seen.last.boot_ns : 0;
}

bool LockFacts::read_more() {
  if (!error().ok() || !seen.more_waiters) return false;
  Txn txn;
  ask_for_page(keys, seen, txn);
  const Result<TxnReply> reply = transactions_.read(txn, transactions_.give_up());
  const std::size_t known = places_.size();
  if (!reply.ok()) {
    fail(reply.error());
  } else if (!take_page(keys, spec, reply.value().parts[0], seen)) {
    fail(alien_key(seen.alien));
  }
  if (!error().ok()) return false;
  for (std::size_t i = known; i < seen.waiters.size(); ++i)
    places_.push_back(queued(seen.waiters[i]));
  show(places_);
  return true;
}

std::uint32_t LockFacts::waiting(std::uint32_t enough) {
  const std::uint64_t others = seen.queued - (seen.place_is_there ? 1 : 0);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(others, enough));
}

bool LockFacts::ancestor() {
  fleet::OwnTree ours;
  for (const Snapshot::Holder& one : seen.holders) {
    if (one.record)
      ours.see(one.record->host, one.record->boot, one.record->pid,
               one.record->mode == Mode::exclusive);
  }
  return ours.blocks(spec);
}

}  // namespace atmost::etcd
