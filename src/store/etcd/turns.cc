// Turns: whoever could take a free slot, and is owed it, takes it within a second or is overtaken.
//
// Its place stays, marked: nobody waits for it again until it has taken the mark away itself. An
// admission compares what it was decided on, so to overtake somebody who wakes up at that moment
// harms nobody: one of the two is refused, and looks.
#include <algorithm>

#include "etcd_store.h"
#include "os/clock.h"
#include "view.h"
#include "words.h"

namespace atmost::etcd {
namespace {

// Whoever could take a slot has so long for it.
constexpr Duration kTurn = Duration::seconds(1);
// A caller renews its lease every 7 s, or half of its ttl (own_lease.cc); one that is so late with
// it is not alive, or cannot reach etcd.
constexpr std::int64_t kLongestPauseS = 7;
constexpr std::int64_t kLateS = 3;

}  // namespace

void EtcdStore::Entry::note_idle(std::uint64_t revision) {
  idle_revision = revision;
  idle_since_boot_ns = os::boot_ns();
}

// One after the other.
std::int64_t EtcdStore::Entry::turns_end_boot_ns() const {
  if (idle_revision == 0) return Duration::kForever;
  const auto turns = static_cast<std::int64_t>(std::max<std::size_t>(seen.waiters.size(), 1));
  return plus(idle_since_boot_ns, {turns * kTurn.ns});
}

void EtcdStore::pass_turns(const Request& request, const Ticket* queue) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    const Viewer who = viewer(request, i, queue);
    if (queue == nullptr || !is_owed(entry.seen, who)) {
      entry.idle_revision = 0;
      continue;
    }
    const bool used = entry.idle_revision == 0 || entry.seen.last_modified > entry.idle_revision;
    if (used) entry.note_idle(entry.seen.revision);
    if (!queue->drawn || os::boot_ns() < entry.turns_end_boot_ns()) continue;
    overtake(who, entry.seen);
    entry.idle_revision = 0;
  }
}

// By the leader's clock. When that has changed since, nothing is known, and nobody is overtaken.
Result<bool> EtcdStore::is_silent(std::int64_t lease, std::int64_t give_up_boot_ns) {
  LeaseReply reply;
  const std::string body = "{\"ID\":\"" + std::to_string(lease) + "\"}";
  const Answer answer = gateway_.ask(
      "lease/timetolive", body, give_up_boot_ns, Gateway::Repeat::yes, [&](std::string_view text) {
        const std::optional<LeaseReply> parsed = parse_lease(text);
        if (!parsed || parsed->id != lease || parsed->ttl == kAbsentTtl) return false;
        reply = *parsed;
        return parsed->ttl < 0 || parsed->granted >= parsed->ttl;
      });
  if (answer.kind != Answer::Kind::good) return failure(answer, "a waiter's lease cannot be read");
  const std::int64_t pause = std::min(reply.granted / 2, kLongestPauseS);
  return reply.ttl >= 0 && reply.granted - reply.ttl >= pause + kLateS;
}

Status EtcdStore::pass_the_dead(const Request& request, std::int64_t give_up_boot_ns) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Snapshot& seen = entries_[i].seen;
    const Viewer who = viewer(request, i, nullptr);
    // Those who stop a holder that has gone meanwhile.
    for (auto taker = seen.taken.begin(); taker != seen.taken.end();) {
      const auto holds = [&](const auto& each) { return each.slot == taker->first; };
      const bool over = std::none_of(seen.holders.begin(), seen.holders.end(), holds);
      const Result<bool> silent =
          over ? is_silent(taker->second, give_up_boot_ns) : Result<bool>(false);
      if (!silent.ok()) return silent.error();
      taker = silent.value() ? seen.taken.erase(taker) : std::next(taker);
    }
    if (!is_owed(seen, who)) continue;
    bool all = true;
    for (const Snapshot::Waiter& each : seen.waiters) {
      const Result<bool> silent = is_silent(each.lease, give_up_boot_ns);
      if (!silent.ok()) return silent.error();
      all = all && silent.value();
      if (!all) break;
    }
    if (all) overtake(who, seen);
  }
  return {};
}

Status EtcdStore::stand_up(const Request& request, const Instant& now, const Ticket& ticket,
                           std::int64_t give_up_boot_ns) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (!entry.seen.own_passed) continue;
    const std::string place = entry.keys.waiter(entry.spec, lease_.id());
    Txn txn;
    txn.created_at(place, ticket.numbers[i])
        .modified_at(entry.keys.state(), entry.seen.state_modified);
    txn.put(place, own_record(request, entry.spec, now).text(), lease_.id());
    // Whoever has seen the queue without us looks again.
    txn.put(entry.keys.state(), entry.seen.state.text(), lease_of(entry.seen.state));
    TxnReply reply;
    Answer answer;
    const Applied applied = write(txn, give_up_boot_ns, reply, answer);
    if (applied == Applied::unknown)
      return failure(answer, "the place in the queue cannot be kept");
    if (applied == Applied::yes) entry.seen.state_modified = reply.header.revision;
    stop_following();  // what is known of the lock is older than that
  }
  return {};
}

}  // namespace atmost::etcd
