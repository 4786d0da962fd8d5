#include "intervals.h"

#include <algorithm>

#include "gateway.h"
#include "os/clock.h"

namespace atmost::etcd {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// From the decision until the command may start. Intervals count from the end of this time, so no
// second write is needed if the command starts within it.
constexpr std::int64_t kAllowanceNs = 250'000'000;
// A lease that was granted longer ago than this may be over.
constexpr std::int64_t kFreshNs = kSecond;
constexpr std::int64_t kShortestLeaseS = 5;

// Counted from `moment_boot_ns` on.
Cooled begun(std::int64_t span_s, std::int64_t asked_boot_ns, std::int64_t moment_boot_ns,
             bool given) {
  Cooled cooled;
  cooled.span_s = cooled.lease_s = span_s;
  cooled.before_ns = asked_boot_ns - moment_boot_ns;
  if (!given) cooled.witnesses.push_back({own_place(), moment_boot_ns});
  return cooled;
}

}  // namespace

Status Intervals::read(LockFacts& lock, std::int64_t give_up_boot_ns) {
  const Request& request = caller_.request;
  const Snapshot& seen = lock.seen;
  lock.cooled_ns = -1;
  if (!has_interval(request) || request.now_given || seen.cooling_modified == 0) return {};
  const std::uint64_t place = own_place();
  if (seen.cooled) {
    lock.cooled_ns = seen.cooled->seen_ago(place, os::boot_ns());
    const bool here = lock.cooled_ns >= 0 && seen.cooled->witnesses[0].place == place;
    if (here || lock.cooled_ns >= request.if_elapsed.ns) return {};  // no other proof is needed
  }
  const Result<LeaseReply> left = caller_.transactions.time_to_live(
      seen.cooling_lease, "the interval cannot be read", give_up_boot_ns);
  if (!left.ok()) return left.error();
  const LeaseReply& reply = left.value();
  if (reply.ttl < 0) {
    lock.cooled_ns = -1;  // it ended since, or was replaced: the admission compares
    return {};
  }
  const std::int64_t before = seen.cooled ? seen.cooled->before_ns : 0;
  const std::int64_t counted = before + (reply.granted - reply.ttl - 1) * kSecond;
  lock.cooled_ns = std::max({lock.cooled_ns, counted, std::int64_t{0}});
  return {};
}

Status Intervals::prepare(std::int64_t give_up_boot_ns) {
  const Request& request = caller_.request;
  const bool wanted = has_interval(request) && request.elapsed_from == ElapsedFrom::start;
  for (LockFacts& lock : caller_.locks) {
    const std::int64_t now = os::boot_ns();
    const std::int64_t span = wanted ? interval_of(request.if_elapsed).span_s : 0;
    const bool fresh = lock.interval.lease != 0 && lock.interval.span_s == span &&
                       now - lock.interval.asked_boot_ns < kFreshNs;
    if (fresh) continue;
    lock.interval = {};
    if (!wanted) continue;
    const Result<std::int64_t> granted = caller_.transactions.grant(span, give_up_boot_ns);
    if (!granted.ok()) return granted.error();
    lock.interval = {granted.value(), span, now, 0};
  }
  return {};
}

void Intervals::begin(LockFacts& lock, bool given, Txn& txn) {
  if (lock.interval.lease == 0) return;
  Interval& interval = lock.interval;
  interval.moment_boot_ns = os::boot_ns() + kAllowanceNs;
  const Cooled cooled =
      begun(interval.span_s, interval.asked_boot_ns, interval.moment_boot_ns, given);
  txn.put(lock.keys.cooling(ElapsedFrom::start), cooled.text(), interval.lease);
}

// The command starts now. If that is after the moment that its interval counts from, the interval
// has to begin later, unless it is forgotten, or replaced by another. Witnesses that were added
// meanwhile are left out: they will be added again.
Status Intervals::settle() {
  const bool given = caller_.request.now_given;
  for (LockFacts& lock : caller_.locks) {
    Interval& interval = lock.interval;
    const std::string key = lock.keys.cooling(ElapsedFrom::start);
    bool there = interval.lease != 0;
    const auto begin_later = [&](const Transactions::Found& found, Txn& txn) {
      there = found[0] && found[0]->lease == interval.lease;
      if (!there) return false;
      interval.moment_boot_ns = os::boot_ns() + kAllowanceNs;
      txn.put(key,
              begun(interval.span_s, interval.asked_boot_ns, interval.moment_boot_ns, given).text(),
              interval.lease);
      return true;
    };
    while (there && os::boot_ns() > interval.moment_boot_ns) {
      const Status written = caller_.transactions.change({key}, "the interval cannot be written",
                                                         caller_.give_up(), begin_later);
      if (!written.ok()) return written;
    }
    interval = {};
  }
  return {};
}

void Intervals::add_witness(const LockFacts& lock, std::int64_t give_up_boot_ns) {
  const Request& request = caller_.request;
  const Snapshot& seen = lock.seen;
  if (request.now_given || seen.cooling_modified == 0 || !seen.cooled || lock.cooled_ns < 0) return;
  Cooled cooled = *seen.cooled;
  const std::uint64_t place = own_place();
  const std::int64_t now = os::boot_ns();
  const bool first = place != 0 && cooled.seen_ago(place, now) < 0 &&
                     cooled.witnesses.size() < Cooled::kMostWitnesses;
  if (first) cooled.witnesses.push_back({place, now});
  const std::int64_t left_s = cooled.span_s - lock.cooled_ns / kSecond;
  const std::int64_t shorter = std::max(left_s, kShortestLeaseS);
  std::int64_t lease = seen.cooling_lease;
  if (shorter * 3 <= cooled.lease_s * 2) {
    if (const Result<std::int64_t> granted = caller_.transactions.grant(shorter, give_up_boot_ns);
        granted.ok()) {
      lease = granted.value();
      cooled.lease_s = shorter;
      cooled.before_ns = lock.cooled_ns;
    }
  }
  if (!first && lease == seen.cooling_lease) return;
  const std::string key = lock.keys.cooling(request.elapsed_from);
  Txn txn;
  txn.modified_at(key, seen.cooling_modified).put(key, cooled.text(), lease);
  const Written written = caller_.transactions.write(txn, give_up_boot_ns);
  if (lease == seen.cooling_lease || written.unknown()) return;
  // The unused lease of the two has no key now.
  (void)OwnLease::end_of(written.done() ? seen.cooling_lease : lease, caller_.gateway,
                         give_up_boot_ns);
}

void Intervals::prepare_end(Ending ending, const Instant& now, std::int64_t give_up_boot_ns) {
  at_end_ = {};
  const Request& request = caller_.request;
  at_end_.counts = request.elapsed_from != ElapsedFrom::start && !request.if_elapsed.is_zero() &&
                   is_finish(ending) &&
                   (request.elapsed_from == ElapsedFrom::finish || ending == Ending::success);
  if (!at_end_.counts || request.if_elapsed.is_forever()) return;
  Cooled cooled = interval_of(request.if_elapsed);
  if (!now.given) cooled.witnesses.push_back({own_place(), now.boot_ns});
  at_end_.text = cooled.text();
  const Result<std::int64_t> granted = caller_.transactions.grant(cooled.lease_s, give_up_boot_ns);
  if (granted.ok()) at_end_.lease = granted.value();
}

void Intervals::begin_at_end(const LockFacts& lock, const std::string& moment, Txn& txn) const {
  if (!at_end_.counts) return;
  const ElapsedFrom from = caller_.request.elapsed_from;
  if (caller_.request.if_elapsed.is_forever()) txn.put(lock.keys.ever(from), moment);
  if (at_end_.lease != 0) txn.put(lock.keys.cooling(from), at_end_.text, at_end_.lease);
}

namespace {

// A lease that ends with a window could be over before it, if a machine's date is wrong.
constexpr Duration kShortWindow = Duration::seconds(3600);
// A start that is later counts from then on.
constexpr std::int64_t kLateNs = 250'000'000;
constexpr int kTries = 32;

// The ring as it is, or as the first caller with a rate makes it.
Ring ring_of(const Snapshot& seen, const Instant& now) {
  if (seen.ring) return *seen.ring;
  Ring ring;
  if (seen.last_modified == 0 || seen.forgotten()) return ring;
  Ring::Entry last = {seen.last_place, seen.last.boot_ns, seen.last.real_ns / 1000, 0};
  // A moment that a version without rates wrote has no place: it counts from now on.
  const bool dated = seen.last.known && (seen.last_place != 0 || !seen.last.same_boot);
  if (!dated) last = {own_place(), now.boot_ns, now.real_ns / 1000, 0};
  ring.entries.push_back(last);
  return ring;
}

}  // namespace

void Rates::see(const Instant& now) {
  for (LockFacts& lock : caller_.locks) {
    if (!lock.seen.ring && caller_.request.rate.count == 0) continue;
    lock.admissions.see(ring_of(lock.seen, now), own_place(), now, now.boot_ns);
  }
}

void Rates::put(const LockFacts& lock, const Ring& ring, Txn& txn) const {
  const bool is_short = ring.window_ns <= kShortWindow.ns;
  txn.put(lock.keys.rate(), ring.text(), is_short ? caller_.transactions.hint_lease() : 0);
}

void Rates::record(LockFacts& lock, Txn& txn) const {
  txn.modified_at(lock.keys.rate(), lock.seen.ring_modified);
  lock.admitted.reset();
  if (!lock.seen.ring && caller_.request.rate.count == 0) return;
  const Ring ring = lock.admissions.with_ours(caller_.request.rate);
  lock.admitted = ring.entries.back();
  put(lock, ring, txn);
}

// Changes the ring as it is stored. False: `how` does not want to, or it cannot be written.
bool Rates::change(const LockFacts& lock, std::int64_t give_up_boot_ns,
                   const std::function<bool(Ring&)>& how) const {
  bool wanted = false;
  const auto put_changed = [&](const Transactions::Found& found, Txn& txn) {
    std::optional<Ring> ring = found[0] ? parse_ring(found[0]->value) : std::nullopt;
    wanted = ring && how(*ring);
    if (wanted) put(lock, *ring, txn);
    return wanted;
  };
  return caller_.transactions.change({lock.keys.rate()}, "", give_up_boot_ns, put_changed).ok() &&
         wanted;
}

void Rates::take_back(LockFacts& lock, std::int64_t give_up_boot_ns) const {
  if (!lock.admitted) return;
  (void)change(lock, give_up_boot_ns, [&](Ring& ring) { return ring.take_back(*lock.admitted); });
}

// The entry may lie ahead: the write that reports it takes as long as the admission did.
Status Rates::settle() const {
  for (LockFacts& lock : caller_.locks) {
    if (!lock.admitted || lock.admitted->place == 0) continue;
    std::int64_t begun = lock.admitted->boot_ns;
    for (int i = 0; i < kTries; ++i) {
      const Ring::Entry& entry = *lock.admitted;
      const std::int64_t late = os::boot_ns() - entry.boot_ns - entry.late_ns;
      if (late <= kLateNs) break;
      const std::int64_t write = os::boot_ns() - begun;
      const Ring::Entry later = {entry.place, os::boot_ns(), os::now().real_ns / 1000, write};
      bool there = false;  // else it is forgotten, or so many came since that it is of no account
      const bool moved = change(lock, caller_.give_up(), [&](Ring& ring) {
        return there = ring.move(*lock.admitted, later);
      });
      if (!there) break;
      if (!moved) return error_of(Code::unavailable, 0, "etcd: the rate cannot be written");
      lock.admitted = later;
      begun = later.boot_ns;
    }
  }
  return {};
}

void Rates::leave_word(LockFacts& lock, std::int64_t give_up_boot_ns) {
  const Request& request = caller_.request;
  if (request.rate.count == 0 || request.now_given || !lock.admissions.has_news()) return;
  Snapshot& seen = lock.seen;
  Ring ring = lock.admissions.known(request.rate);
  Txn txn;
  txn.modified_at(lock.keys.rate(), seen.ring_modified);
  txn.modified_at(lock.keys.last(), seen.last_modified);
  txn.modified_at(lock.keys.state(), seen.state_modified);
  put(lock, ring, txn);
  const std::uint64_t written = caller_.transactions.write(txn, give_up_boot_ns).revision();
  if (written == 0) return;
  seen.ring = std::move(ring);
  seen.ring_modified = written;
}

}  // namespace atmost::etcd
