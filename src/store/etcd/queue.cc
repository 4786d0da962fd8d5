// Waiting: a place in the queue, and a watch on what has to happen next.
#include <algorithm>

#include "etcd_store.h"
#include "os/clock.h"
#include "words.h"

namespace atmost::etcd {
namespace {

// However quiet it is, a waiter looks so often: should an event ever be lost, it is late, not lost.
constexpr Duration kLongestQuiet = Duration::seconds(30);
// How often a waiter asks itself whether its lease is still renewed: etcd can be silent for lack of a majority.
constexpr Duration kPulse = Duration::seconds(1);
constexpr Duration kAfterTrouble = Duration::millis(100);

}  // namespace

Result<bool> EtcdStore::draw(const Request& request, const Instant& now, Ticket& ticket,
                             std::int64_t give_up_boot_ns) {
  if (Status leased = ensure_lease(request, give_up_boot_ns); !leased.ok()) return leased.error();
  Txn txn;
  for (const Entry& entry : entries_) {
    const std::string place = entry.keys.waiter(entry.spec, lease_.id());
    txn.created_at(place, 0);
    txn.put(place, own_record(request, entry.spec, now).text(), lease_.id());
  }
  for (const Entry& entry : entries_) {
    txn.youngest(entry.keys.queue(entry.spec), 2);
    if (entry.spec.mode == Mode::exclusive) {
      txn.youngest(entry.keys.readers(), 1);
    } else {
      txn.youngest(entry.keys.writers(), 1);
    }
  }
  TxnReply reply;
  Answer answer;
  if (write(txn, give_up_boot_ns, reply, answer) != Applied::yes) {
    // It may be there all the same: with the lease it goes.
    lease_.end(gateway_, give_up_boot_ns);
    if (answer.kind == Answer::Kind::refused) return failure(answer, "no place in the queue");
    return false;
  }
  ticket.drawn = true;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    ticket.numbers[i] = reply.header.revision;
    Snapshot& seen = entries_[i].seen;
    std::uint64_t youngest = 0;
    for (std::size_t part : {entries_.size() + 2 * i, entries_.size() + 2 * i + 1}) {
      for (const KeyValue& key : reply.parts[part].keys) {
        if (key.created >= reply.header.revision || key.created <= youngest) continue;
        youngest = key.created;
        seen.predecessor = key.key;
      }
    }
  }
  return true;
}

Result<Wake> EtcdStore::await(const Request&, Ticket&, std::int64_t deadline_boot_ns) {
  if (os::boot_ns() >= deadline_boot_ns) return Wake::deadline;
  if (blocked_ >= entries_.size()) return Wake::maybe;
  const Entry& entry = entries_[blocked_];
  // From the first change after the answer that refused us: none is missed.
  const std::uint64_t from = entry.seen.revision + 1;
  const std::string& before = entry.seen.predecessor;
  const std::string body =
      before.empty() ? watch_body(entry.keys.admission(), end_of_prefix(entry.keys.admission()), from)
                     : watch_body(before, {}, from);
  flow_ = gateway_.flow("watch", body);
  if (flow_ == nullptr) return Wake::maybe;
  const std::int64_t quiet = plus(os::boot_ns(), kLongestQuiet);
  Result<Wake> woken = follow(std::min(deadline_boot_ns, quiet));
  flow_.reset();
  if (woken.ok() && woken.value() == Wake::deadline && quiet < deadline_boot_ns) return Wake::maybe;
  leave_if_told();
  return woken;
}

Result<Wake> EtcdStore::follow(std::int64_t until_boot_ns) {
  for (;;) {
    std::string line;
    switch (flow_->next(line, std::min(until_boot_ns, plus(os::boot_ns(), kPulse)), parting_.descriptor())) {
      case Heard::time:
        if (lease_.in_doubt()) return Wake::maybe;
        if (os::boot_ns() >= until_boot_ns) return Wake::deadline;
        continue;
      case Heard::interrupted:
        return Wake::interrupted;
      case Heard::broken:
        gateway_.turn();
        os::sleep_until(std::min(until_boot_ns, plus(os::boot_ns(), kAfterTrouble)));
        return Wake::maybe;
      case Heard::line:
        break;
    }
    std::string error;
    const std::optional<WatchReply> reply = parse_watch(line, error);
    if (reply && !reply->canceled && reply->events.empty()) continue;
    if (!reply || reply->canceled) {
      gateway_.turn();
      os::sleep_until(std::min(until_boot_ns, plus(os::boot_ns(), kAfterTrouble)));
    }
    return Wake::maybe;
  }
}

void EtcdStore::withdraw(const Request&, Ticket& ticket) {
  if (!ticket.drawn) return;
  ticket = {};
  flow_.reset();
  if (!holding_) lease_.end(gateway_, give_up());
}

}  // namespace atmost::etcd
