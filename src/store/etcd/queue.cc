#include "queue.h"

#include <algorithm>

#include "core/turn.h"
#include "hint_lease.h"
#include "lock_state.h"
#include "os/clock.h"
#include "view.h"
#include "words.h"

namespace atmost::etcd {
namespace {

// A caller renews its lease every 7 s, or half of its ttl (own_lease.cc). If a renewal is this
// late, the caller is dead or cannot reach etcd.
constexpr std::int64_t kLongestPauseS = 7;
constexpr std::int64_t kLateS = 3;

}  // namespace

void OpenLock::note_idle(std::uint64_t revision) {
  idle_revision = revision;
  idle_since_boot_ns = os::boot_ns();
}

// The waiters have their turns one after the other.
std::int64_t OpenLock::turns_end_boot_ns() const {
  if (idle_revision == 0) return Duration::kForever;
  const auto turns = static_cast<std::int64_t>(std::max<std::size_t>(seen.waiters.size(), 1));
  return plus(idle_since_boot_ns, {turns * kTurn.ns});
}

std::string Queue::place_of(const OpenLock& lock) const {
  return lock.keys.waiter(lock.spec, caller_.lease.id());
}

void Queue::add_places(const Instant& now, Txn& txn) const {
  for (const OpenLock& lock : caller_.locks) {
    txn.put(place_of(lock), own_record(caller_.request, lock.spec, now).text(), caller_.lease.id());
    if (caller_.request.on_busy == OnBusy::supersede)
      txn.put(lock.keys.newest(), "{}", hint_lease(caller_.gateway.access().prefix));
  }
  for (const OpenLock& lock : caller_.locks) {
    txn.youngest(lock.keys.queue(lock.spec), kSeenInQueue + 1);
    if (lock.spec.mode == Mode::exclusive) {
      txn.youngest(lock.keys.readers(), 1);
    } else {
      txn.youngest(lock.keys.writers(), 1);
    }
  }
}

void Queue::take_places(const TxnReply& reply, std::size_t part, Ticket& ticket) {
  part += caller_.locks.size() * (caller_.request.on_busy == OnBusy::supersede ? 2 : 1);
  ticket.drawn = true;
  for (std::size_t i = 0; i < caller_.locks.size(); ++i) {
    OpenLock& lock = caller_.locks[i];
    ticket.numbers[i] = reply.header.revision;
    Snapshot& seen = lock.seen;
    std::uint64_t youngest = 0;
    const PartReply& own_queue = reply.parts[part];
    lock.milestone = own_queue.keys.size() > kSeenInQueue ? own_queue.keys.back().key : "";
    for (int queue = 0; queue < 2; ++queue) {
      for (const KeyValue& key : reply.parts[part++].keys) {
        if (key.created >= reply.header.revision || key.created <= youngest) continue;
        youngest = key.created;
        seen.predecessor = key.key;
        seen.ahead = ahead_of(key);
      }
    }
    seen.ticket_is_there = true;
    lock.in_queue = own_queue.count;
    if (seen.predecessor.empty()) {  // the waiters seen before us have gone
      seen.waiters.clear();
      seen.more_waiters = false;
    }
  }
}

Result<bool> Queue::draw(const Instant& now, Ticket& ticket, std::int64_t give_up_boot_ns) {
  if (Status leased = caller_.ensure_lease(give_up_boot_ns); !leased.ok()) return leased.error();
  // More may have come since they were counted.
  const bool counts = caller_.request.queue_max != kAnyQueue;
  Txn txn;
  for (const OpenLock& lock : caller_.locks) {
    txn.created_at(place_of(lock), 0);
    if (counts) txn.all_created_before(lock.keys.waiters(), lock.seen.revision + 1);
  }
  add_places(now, txn);
  TxnReply reply;
  Answer answer;
  const Applied applied = caller_.transactions.write(txn, give_up_boot_ns, reply, answer);
  if (applied == Applied::no && answer.kind == Answer::Kind::good && counts) return false;
  if (applied != Applied::yes) {
    // The lease was ended from outside before its time: the next try gets another one.
    if (lease_is_gone(answer)) {
      caller_.lease.forsake();
      return false;
    }
    // The place may have been taken all the same: it goes with the lease.
    caller_.lease.end(caller_.gateway, give_up_boot_ns);
    if (answer.kind == Answer::Kind::refused) return failure(answer, "no place in the queue");
    return false;
  }
  take_places(reply, 0, ticket);
  return true;
}

Status Queue::pass_turns(const Ticket* queue, std::int64_t give_up_boot_ns) {
  for (std::size_t i = 0; i < caller_.locks.size(); ++i) {
    OpenLock& lock = caller_.locks[i];
    const CallerPlace who = caller_.place(i, queue);
    if (queue == nullptr || !is_owed(lock.seen, who)) {
      lock.idle_revision = 0;
      continue;
    }
    const bool used = lock.idle_revision == 0 || lock.seen.last_modified > lock.idle_revision;
    if (used) lock.note_idle(lock.seen.revision);
    if (!queue->drawn || os::boot_ns() < lock.turns_end_boot_ns()) continue;
    overtake(who, lock.seen);
    lock.idle_revision = 0;
  }
  return queue == nullptr ? pass_silent(give_up_boot_ns) : Status{};
}

// Whether a lease has not been renewed for long, by the leader's clock. After a change of leader
// nothing is known, and no waiter is overtaken.
Result<bool> Queue::is_silent(std::int64_t lease, std::int64_t give_up_boot_ns) {
  const Result<LeaseReply> left =
      caller_.transactions.time_to_live(lease, "a waiter's lease cannot be read", give_up_boot_ns);
  if (!left.ok()) return left.error();
  const LeaseReply& reply = left.value();
  const std::int64_t pause = std::min(reply.granted / 2, kLongestPauseS);
  return reply.ttl >= 0 && reply.granted - reply.ttl >= pause + kLateS;
}

// A caller that asks only once cannot wait a second for a turn to pass: it ignores waiters whose
// leases have not been renewed for long.
Status Queue::pass_silent(std::int64_t give_up_boot_ns) {
  for (std::size_t i = 0; i < caller_.locks.size(); ++i) {
    Snapshot& seen = caller_.locks[i].seen;
    const CallerPlace who = caller_.place(i, nullptr);
    // Takers whose holder has gone meanwhile.
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
      if (each.early) continue;
      const Result<bool> silent = is_silent(each.lease, give_up_boot_ns);
      if (!silent.ok()) return silent.error();
      all = all && silent.value();
      if (!all) break;
    }
    if (all) overtake(who, seen);
  }
  return {};
}

Result<bool> Queue::unmark(const Instant& now, const Ticket& ticket, std::int64_t give_up_boot_ns) {
  bool marked = false;
  for (std::size_t i = 0; i < caller_.locks.size(); ++i) {
    OpenLock& lock = caller_.locks[i];
    if (!lock.seen.own_passed) continue;
    marked = true;
    const std::string place = lock.keys.waiter(lock.spec, caller_.lease.id());
    Txn txn;
    txn.created_at(place, ticket.numbers[i])
        .modified_at(lock.keys.state(), lock.seen.state_modified);
    txn.put(place, own_record(caller_.request, lock.spec, now).text(), caller_.lease.id());
    // A caller that has seen the queue without us must look again.
    txn.put(lock.keys.state(), lock.seen.state.text(),
            lease_of(lock.seen.state, caller_.gateway.access().prefix));
    TxnReply reply;
    Answer answer;
    const Applied applied = caller_.transactions.write(txn, give_up_boot_ns, reply, answer);
    if (applied == Applied::unknown)
      return failure(answer, "the place in the queue cannot be kept");
    if (applied == Applied::yes) lock.seen.state_modified = reply.header.revision;
  }
  return marked;
}

}  // namespace atmost::etcd
