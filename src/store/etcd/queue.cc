// Waiting: a place in the queue, and a watch on what has to happen next.
#include <algorithm>

#include "etcd_store.h"
#include "os/clock.h"
#include "words.h"

namespace atmost::etcd {
namespace {

// However quiet it is, a waiter looks so often: should an event ever be lost, it is late, not lost.
constexpr Duration kLongestQuiet = Duration::seconds(60);
constexpr Duration kAfterTrouble = Duration::millis(100);
// For the first words of a watch.
constexpr Duration kBeginning = Duration::millis(700);
// Who has so many in its queue may be the first in a tenth of a second, if they are quick.
constexpr std::uint64_t kNear = 20;

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
    txn.youngest(entry.keys.queue(entry.spec), kSeenInQueue + 1);
    if (entry.spec.mode == Mode::exclusive) {
      txn.youngest(entry.keys.readers(), 1);
    } else {
      txn.youngest(entry.keys.writers(), 1);
    }
  }
  TxnReply reply;
  Answer answer;
  if (write(txn, give_up_boot_ns, reply, answer) != Applied::yes) {
    // Ended by somebody before its time: another one does as well.
    if (lease_is_gone(answer)) {
      lease_.forsake();
      return false;
    }
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
    const PartReply& own_queue = reply.parts[entries_.size() + 2 * i];
    entries_[i].milestone = own_queue.keys.size() > kSeenInQueue ? own_queue.keys.back().key : "";
    for (std::size_t part : {entries_.size() + 2 * i, entries_.size() + 2 * i + 1}) {
      for (const KeyValue& key : reply.parts[part].keys) {
        if (key.created >= reply.header.revision || key.created <= youngest) continue;
        youngest = key.created;
        seen.predecessor = key.key;
        seen.ahead = ahead_of(key);
      }
    }
    seen.ticket_is_there = true;
    entries_[i].in_queue = own_queue.count;
    if (seen.predecessor.empty()) {  // who was there when we looked has gone
      seen.waiters.clear();
      seen.more_waiters = false;
    }
  }
  return true;
}

Result<Wake> EtcdStore::await(const Request& request, Ticket& ticket,
                              std::int64_t deadline_boot_ns) {
  if (os::boot_ns() >= deadline_boot_ns) return Wake::deadline;
  if (blocked_ >= entries_.size()) return Wake::maybe;
  // A member that does not answer has no news either.
  if (flow_ != nullptr && flows_from_ != gateway_.endpoint()) stop_following();
  if (!up_to_date_) {
    const Result<bool> following = begin_following(ticket);
    if (!following.ok()) return give_in(following.error());
    if (!following.value()) return Wake::maybe;
  }
  const std::int64_t quiet = plus(os::boot_ns(), kLongestQuiet);
  Result<Wake> woken = follow(request, ticket, std::min(deadline_boot_ns, quiet));
  if (!woken.ok()) return give_in(woken.error());
  if (woken.value() == Wake::deadline && os::boot_ns() < std::min(deadline_boot_ns, quiet))
    return Wake::maybe;
  if (woken.value() == Wake::deadline && quiet < deadline_boot_ns) {
    stop_following();
    return Wake::maybe;
  }
  // Several locks: the one that refuses next may be another.
  if (entries_.size() > 1) stop_following();
  leave_if_told();
  return woken;
}

void EtcdStore::stop_following() {
  flow_.reset();
  watched_ = Watched::nothing;
  up_to_date_ = false;
  foreseen_ = false;
}

void EtcdStore::watch(Watched what, std::uint64_t from_revision) {
  const Entry& entry = entries_[blocked_];
  const std::string begin =
      what == Watched::place ? entry.seen.predecessor : entry.keys.admission();
  const std::string end = what == Watched::place ? std::string() : end_of_prefix(begin);
  std::string body = watch_body(begin, end, from_revision);
  if (what == Watched::place && !entry.milestone.empty()) {
    body += watch_body(entry.milestone, {}, from_revision);
  } else if (what == Watched::place && !entry.seen.waiters.empty()) {
    // We are near: whether those before us take what is free, we have to see.
    const std::string held = entry.keys.holders();
    body += watch_body(held, end_of_prefix(held), entry.seen.revision + 1);
  }
  flow_ = gateway_.flow("watch", body);
  flows_from_ = gateway_.endpoint();
  watched_ = what;
}

// The revision after which all that is watched is sure to be told; 0: that is not known.
std::uint64_t EtcdStore::watch_begun() {
  std::string line, error;
  if (flow_ == nullptr || flow_->next(line, plus(os::boot_ns(), kBeginning), -1) != Heard::line)
    return 0;
  const std::optional<WatchReply> reply = parse_watch(line, error);
  if (!reply || !reply->created || reply->canceled) return 0;
  ledger_.note(reply->header.revision);  // what is older cannot follow it
  return reply->header.revision;
}

// Etcd tells at once of what happens after a watch began, but of what had happened before only
// every tenth of a second. So whoever may be next watches from now on, and if something happened
// since it looked, looks again.
Result<bool> EtcdStore::begin_following(const Ticket& ticket) {
  stop_following();
  Entry& entry = entries_[blocked_];
  const bool first = entry.seen.predecessor.empty();
  const std::uint64_t known =
      first ? entry.seen.revision : std::max(entry.seen.revision, ticket.numbers[blocked_]);
  watch(first ? Watched::admissions : Watched::place, is_near(entry) ? 0 : known + 1);
  if (!is_near(entry)) return flow_ != nullptr;
  const std::uint64_t begun = watch_begun();
  if (begun == 0) {
    // A member that is silent, or has nobody to follow: whether there is a majority has to be known
    // in time.
    trouble();
    if (const Result<bool> there = ask_majority(); !there.ok()) return there.error();
    return false;
  }
  up_to_date_ = first && begun == known;
  if (first) return up_to_date_;
  if (begun == known) return true;
  return still_behind(entry);
}

bool EtcdStore::is_near(const Entry& entry) const {
  return entries_.size() == 1 && (entry.seen.predecessor.empty() || entry.in_queue <= kNear);
}

// Whether the waiter before us is there, and what it tells; if not, we are probably the first now.
Result<bool> EtcdStore::still_behind(Entry& entry) {
  Txn txn;
  txn.range(entry.seen.predecessor);
  if (!entry.milestone.empty()) txn.range(entry.milestone);
  const Result<TxnReply> reply = read(txn, give_up());
  if (!reply.ok()) return reply.error();
  const std::vector<KeyValue>& found = reply.value().parts[0].keys;
  if (!entry.milestone.empty() && reply.value().parts[1].keys.empty()) {
    entry.milestone.clear();
    stop_following();
    return false;
  }
  if (found.empty()) {
    move_up();
    return false;
  }
  entry.seen.ahead = ahead_of(found[0]);
  return true;
}

void EtcdStore::move_up() {
  stop_following();
  watch(Watched::admissions, 0);
  if (watch_begun() == 0) stop_following();
}

bool EtcdStore::trouble() {
  gateway_.turn();
  stop_following();
  os::sleep_until(plus(os::boot_ns(), kAfterTrouble));
  return false;
}

// Of a watch that has lost its majority nothing is heard, nor of one at a member that was stopped.
// Renewals have to be made anyway: while they are answered, and by the member that we watch, all is
// well.
Result<bool> EtcdStore::still_hears() {
  const Renewals now = lease_.renewals();
  gateway_.answered(now.sent_boot_ns);
  if (os::boot_ns() >= now.due_boot_ns) {
    if (const Result<bool> missed = ask_majority(); !missed.ok()) return missed.error();
    os::sleep_until(plus(os::boot_ns(), kAfterTrouble));
    return false;
  }
  if (now.stumbles == followed_at_.stumbles) return true;
  gateway_.go_to(now.endpoint);
  return false;
}

Result<Wake> EtcdStore::follow(const Request& request, const Ticket& ticket,
                               std::int64_t until_boot_ns) {
  lease_.go_to(flows_from_);
  followed_at_ = lease_.renewals();
  for (;;) {
    gateway_.hang_up();  // the watch is our one connection
    std::string line;
    const std::int64_t due = lease_.renewals().due_boot_ns;
    const std::int64_t end = std::min(until_boot_ns, entries_[blocked_].turns_end_boot_ns());
    switch (flow_->next(line, std::min(end, due), parting_.descriptor())) {
      case Heard::time:
        if (os::boot_ns() >= end) return Wake::deadline;
        if (const Result<bool> hears = still_hears(); !hears.ok()) {
          return hears.error();
        } else if (hears.value()) {
          continue;
        }
        stop_following();
        return Wake::maybe;
      case Heard::interrupted:
        return Wake::interrupted;
      case Heard::broken:
        trouble();
        return Wake::maybe;
      case Heard::line:
        break;
    }
    if (heed(request, ticket, line)) return Wake::maybe;
  }
}

bool EtcdStore::heed(const Request& request, const Ticket& ticket, const std::string& line) {
  std::string error;
  const std::optional<WatchReply> reply = parse_watch(line, error);
  if (reply && !reply->canceled && reply->events.empty()) return false;
  if (!reply || reply->canceled) {
    trouble();
    return true;
  }
  Entry& entry = entries_[blocked_];
  if (up_to_date_) {
    const std::optional<bool> changed =
        take_changes(entry.keys, viewer(request, blocked_, &ticket), *reply, entry.seen);
    // Who stands up touches the state: it may have come before us again.
    const bool stood_up =
        std::any_of(reply->events.begin(), reply->events.end(),
                    [&](const auto& each) { return each.key.key == entry.keys.state(); });
    if (!changed || stood_up) stop_following();
    return !changed || *changed;
  }
  const WatchReply::Event& event = reply->events.back();
  if (watched_ == Watched::place && entry.keys.is_held(event.key.key)) {
    entry.idle_revision = 0;
    if (event.erased) entry.note_idle(event.key.modified);
    return false;
  }
  if (event.key.key == entry.milestone) {
    if (event.erased) entry.milestone.clear();
    if (event.erased) stop_following();
    return event.erased;
  }
  if (watched_ == Watched::place && !event.erased && !is_passed(event.key)) {
    entry.seen.ahead = ahead_of(event.key);
    return false;
  }
  const bool moved_up = watched_ == Watched::place && entries_.size() == 1 && event.erased;
  stop_following();
  if (moved_up && keeps_place() && request.if_elapsed.is_zero() &&
      foresee(reply->events.back().key.modified, entry.seen)) {
    foreseen_ = true;
    return true;
  }
  if (moved_up) move_up();
  return true;
}

void EtcdStore::withdraw(const Request&, Ticket& ticket) {
  if (!ticket.drawn) return;
  ticket = {};
  stop_following();
  if (!holding_) lease_.end(gateway_, give_up());
}

}  // namespace atmost::etcd
