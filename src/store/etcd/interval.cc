// --if-elapsed: how long ago the last admission was, by proofs that compare no clock with
// another's.
//
// Etcd's leader counts a lease down, and begins anew when another is elected: its word is true, but
// may come late by the whole lease each time. So whoever is told "too soon" leaves for later
// callers what is known by then: that its own machine saw the key at a moment of its boot clock (a
// later caller of that machine has its clock's word), and, when much of the interval is over, a
// shorter lease in the place of the old one. The admitted caller's machine is a witness from the
// start.
#include <algorithm>

#include "etcd_store.h"
#include "os/clock.h"
#include "words.h"

namespace atmost::etcd {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// From deciding on an admission until the command may start: intervals count from no earlier moment
// than that, and no second write is needed while it is not over.
constexpr std::int64_t kAllowanceNs = 250'000'000;
// A lease that was granted so long ago may be over.
constexpr std::int64_t kFreshNs = kSecond;
constexpr std::int64_t kShortestLeaseS = 5;
// Who settles an interval contends with those who bear witness, once each.
constexpr int kTries = 32;

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

// Never more than it really is.
Status EtcdStore::read_cooled(const Request& request, Entry& entry, std::int64_t give_up_boot_ns) {
  const Snapshot& seen = entry.seen;
  entry.cooled_ns = -1;
  if (!has_interval(request) || request.now_given || seen.cooling_modified == 0) return {};
  const std::uint64_t place = own_place();
  if (seen.cooled) {
    entry.cooled_ns = seen.cooled->seen_ago(place, os::boot_ns());
    const bool here = entry.cooled_ns >= 0 && seen.cooled->witnesses[0].place == place;
    if (here || entry.cooled_ns >= request.if_elapsed.ns) return {};  // nobody knows better
  }
  LeaseReply reply;
  const std::string body = "{\"ID\":\"" + std::to_string(seen.cooling_lease) + "\"}";
  const Answer answer = gateway_.ask(
      "lease/timetolive", body, give_up_boot_ns, Gateway::Repeat::yes, [&](std::string_view text) {
        const std::optional<LeaseReply> parsed = parse_lease(text);
        if (!parsed || parsed->id != seen.cooling_lease || parsed->ttl == kAbsentTtl) return false;
        reply = *parsed;
        return parsed->ttl < 0 || parsed->granted >= parsed->ttl;
      });
  if (answer.kind != Answer::Kind::good) return failure(answer, "the interval cannot be read");
  if (reply.ttl < 0) {
    entry.cooled_ns = -1;  // it ended since, or there is another: the admission compares
    return {};
  }
  const std::int64_t before = seen.cooled ? seen.cooled->before_ns : 0;
  const std::int64_t counted = before + (reply.granted - reply.ttl - 1) * kSecond;
  entry.cooled_ns = std::max({entry.cooled_ns, counted, std::int64_t{0}});
  return {};
}

Result<std::int64_t> EtcdStore::grant(std::int64_t seconds, std::int64_t give_up_boot_ns) {
  LeaseReply reply;
  const std::string body = "{\"TTL\":\"" + std::to_string(seconds) + "\"}";
  const Answer answer = gateway_.ask("lease/grant", body, give_up_boot_ns, Gateway::Repeat::yes,
                                     [&](std::string_view text) {
                                       const std::optional<LeaseReply> parsed = parse_lease(text);
                                       if (!parsed || parsed->ttl < seconds) return false;
                                       reply = *parsed;
                                       return true;
                                     });
  if (answer.kind != Answer::Kind::good)
    return failure(answer, "no lease is granted for the interval");
  return reply.id;
}

Status EtcdStore::prepare_intervals(const Request& request, std::int64_t give_up_boot_ns) {
  const bool wanted = has_interval(request) && request.elapsed_from == ElapsedFrom::start;
  for (Entry& entry : entries_) {
    const std::int64_t now = os::boot_ns();
    const std::int64_t span = wanted ? interval_of(request.if_elapsed).span_s : 0;
    const bool fresh = entry.interval.lease != 0 && entry.interval.span_s == span &&
                       now - entry.interval.asked_boot_ns < kFreshNs;
    if (fresh) continue;
    entry.interval = {};
    if (!wanted) continue;
    const Result<std::int64_t> granted = grant(span, give_up_boot_ns);
    if (!granted.ok()) return granted.error();
    entry.interval = {granted.value(), span, now, 0};
  }
  return {};
}

void EtcdStore::begin_interval(Entry& entry, bool given, Txn& txn) {
  Entry::Interval& interval = entry.interval;
  interval.moment_boot_ns = os::boot_ns() + kAllowanceNs;
  const Cooled cooled =
      begun(interval.span_s, interval.asked_boot_ns, interval.moment_boot_ns, given);
  txn.put(entry.keys.cooling(ElapsedFrom::start), cooled.text(), interval.lease);
}

// The command starts now. Should that be later than its interval says, the interval has to begin
// later.
Status EtcdStore::settle_intervals(bool given) {
  for (Entry& entry : entries_) {
    Entry::Interval& interval = entry.interval;
    const std::string key = entry.keys.cooling(ElapsedFrom::start);
    for (int i = 0; interval.lease != 0 && os::boot_ns() > interval.moment_boot_ns; ++i) {
      if (i == kTries)
        return error_of(Code::unavailable, 0, "etcd: the interval cannot be written");
      Txn look;
      look.range(key);
      const Result<TxnReply> found = read(look, give_up());
      if (!found.ok()) return found.error();
      const std::vector<KeyValue>& keys = found.value().parts[0].keys;
      if (keys.empty() || keys[0].lease != interval.lease) break;  // forgotten, or another's by now
      const std::int64_t moment = os::boot_ns() + kAllowanceNs;
      Txn txn;
      // Whoever bore witness meanwhile is left out: it will again.
      txn.modified_at(key, keys[0].modified);
      txn.put(key, begun(interval.span_s, interval.asked_boot_ns, moment, given).text(),
              interval.lease);
      TxnReply reply;
      Answer answer;
      if (write(txn, give_up(), reply, answer) == Applied::yes) interval.moment_boot_ns = moment;
    }
    interval = {};
  }
  return {};
}

// What is learned now, a later caller need not wait for. Nobody is told if it cannot be written.
void EtcdStore::bear_witness(const Request& request, const Entry& entry,
                             std::int64_t give_up_boot_ns) {
  const Snapshot& seen = entry.seen;
  if (request.now_given || seen.cooling_modified == 0 || !seen.cooled || entry.cooled_ns < 0)
    return;
  Cooled cooled = *seen.cooled;
  const std::uint64_t place = own_place();
  const std::int64_t now = os::boot_ns();
  const bool first = place != 0 && cooled.seen_ago(place, now) < 0 &&
                     cooled.witnesses.size() < Cooled::kMostWitnesses;
  if (first) cooled.witnesses.push_back({place, now});
  const std::int64_t left_s = cooled.span_s - entry.cooled_ns / kSecond;
  const std::int64_t shorter = std::max(left_s, kShortestLeaseS);
  std::int64_t lease = seen.cooling_lease;
  if (shorter * 3 <= cooled.lease_s * 2) {
    if (const Result<std::int64_t> granted = grant(shorter, give_up_boot_ns); granted.ok()) {
      lease = granted.value();
      cooled.lease_s = shorter;
      cooled.before_ns = entry.cooled_ns;
    }
  }
  if (!first && lease == seen.cooling_lease) return;
  const std::string key = entry.keys.cooling(request.elapsed_from);
  Txn txn;
  txn.modified_at(key, seen.cooling_modified).put(key, cooled.text(), lease);
  TxnReply reply;
  Answer answer;
  const Applied applied = write(txn, give_up_boot_ns, reply, answer);
  if (lease == seen.cooling_lease || applied == Applied::unknown) return;
  // One of the two has no key now.
  (void)OwnLease::end_of(applied == Applied::yes ? seen.cooling_lease : lease, gateway_,
                         give_up_boot_ns);
}

}  // namespace atmost::etcd
