#include "queue_watch.h"

#include <algorithm>

#include "os/clock.h"
#include "words.h"

namespace atmost::etcd {
namespace {

// A waiter looks at least this often, so that a lost event only delays it.
constexpr Duration kLongestQuiet = Duration::seconds(60);
constexpr Duration kAfterTrouble = Duration::millis(100);
// For the first line of a watch.
constexpr Duration kBeginning = Duration::millis(700);
// A caller with this many or fewer before it in its queue may be first within a tenth of a second.
constexpr std::uint64_t kNear = 20;

}  // namespace

Result<Wake> QueueWatch::await(std::uint32_t lock, const Ticket& ticket,
                               std::int64_t deadline_boot_ns) {
  lock_ = lock;
  // A member that does not answer reports no events either.
  if (flow_ != nullptr && endpoint_ != caller_.gateway.endpoint()) stop();
  if (!up_to_date_) {
    const Result<bool> begun = begin(ticket);
    if (!begun.ok()) return begun.error();
    if (!begun.value()) return Wake::maybe;
  }
  const std::int64_t quiet = plus(os::boot_ns(), kLongestQuiet);
  Result<Wake> woken = follow(ticket, std::min(deadline_boot_ns, quiet));
  if (!woken.ok()) return woken;
  if (woken.value() == Wake::deadline && os::boot_ns() < std::min(deadline_boot_ns, quiet))
    return Wake::maybe;
  if (woken.value() == Wake::deadline && quiet < deadline_boot_ns) {
    stop();
    return Wake::maybe;
  }
  // With several locks, another one may refuse next.
  if (caller_.locks.size() > 1) stop();
  return woken;
}

void QueueWatch::looked() {
  up_to_date_ = watched_ == Watched::admissions && caller_.locks[0].seen.predecessor.empty();
}

void QueueWatch::stop() {
  flow_.reset();
  watched_ = Watched::nothing;
  up_to_date_ = false;
  guessed_ = false;
}

void QueueWatch::watch(Watched what, std::uint64_t from_revision, std::uint64_t unseen) {
  const OpenLock& blocked = lock();
  const std::string begin =
      what == Watched::place ? blocked.seen.predecessor : blocked.keys.admission();
  const std::string end = what == Watched::place ? std::string() : end_of_prefix(begin);
  std::string body = watch_body(begin, end, from_revision);
  if (what == Watched::place && !blocked.milestone.empty()) {
    body += watch_body(blocked.milestone, {}, from_revision);
  } else if (what == Watched::place && !blocked.seen.waiters.empty()) {
    // We are near the head, so watch whether the waiters before us take a free slot.
    const std::string held = blocked.keys.holders();
    body += watch_body(held, end_of_prefix(held), blocked.seen.revision + 1);
  }
  if (what == Watched::place && caller_.request.on_busy == OnBusy::supersede)
    body += watch_body(blocked.keys.newest(), {}, unseen);
  flow_ = caller_.gateway.flow("watch", body);
  endpoint_ = caller_.gateway.endpoint();
  watched_ = what;
}

// The revision after which everything watched is sure to be reported; 0: not known.
std::uint64_t QueueWatch::watch_begun() {
  std::string line, error;
  if (flow_ == nullptr || flow_->next(line, plus(os::boot_ns(), kBeginning), -1) != Heard::line)
    return 0;
  const std::optional<WatchReply> reply = parse_watch(line, error);
  if (!reply || !reply->created || reply->canceled) return 0;
  caller_.gateway.history().note(reply->header.revision);  // older answers are not believed any
                                                           // more
  return reply->header.revision;
}

// Etcd reports at once what happens after a watch began, but earlier events only every tenth of a
// second. So a caller that may be next watches from now on, and looks again if something happened
// since it looked.
Result<bool> QueueWatch::begin(const Ticket& ticket) {
  stop();
  OpenLock& blocked = lock();
  const bool first = blocked.seen.predecessor.empty();
  const std::uint64_t known =
      first ? blocked.seen.revision : std::max(blocked.seen.revision, ticket.numbers[lock_]);
  watch(first ? Watched::admissions : Watched::place, is_near() ? 0 : known + 1, known + 1);
  if (!is_near()) return flow_ != nullptr;
  const std::uint64_t begun = watch_begun();
  if (begun == 0) {
    // The member is silent, or has no leader: find out in time whether there is a majority.
    change_endpoint();
    if (const Result<bool> there = ask_majority(); !there.ok()) return there.error();
    return false;
  }
  up_to_date_ = first && begun == known;
  if (first) return up_to_date_;
  if (begun == known) return true;
  return still_behind();
}

bool QueueWatch::is_near() {
  const OpenLock& blocked = lock();
  // It has moved up since it drew its place if it sees the head of the queue.
  return caller_.locks.size() == 1 && (blocked.seen.predecessor.empty() ||
                                       blocked.in_queue <= kNear || !blocked.seen.more_waiters);
}

// Whether the waiter before us is there, and what its place says. If it is not, we are probably the
// first. The member that began the watch has a leader and knows all that happened before; an older
// answer, of another member, is not believed (watch_begun()).
Result<bool> QueueWatch::still_behind() {
  OpenLock& blocked = lock();
  Txn txn;
  txn.glance(blocked.seen.predecessor);
  if (!blocked.milestone.empty()) txn.glance(blocked.milestone);
  const Result<TxnReply> reply = caller_.transactions.read(txn, caller_.give_up());
  if (!reply.ok()) return reply.error();
  const std::vector<KeyValue>& found = reply.value().parts[0].keys;
  if (!blocked.milestone.empty() && reply.value().parts[1].keys.empty()) {
    blocked.milestone.clear();
    stop();
    return false;
  }
  if (found.empty()) {
    move_up();
    return false;
  }
  blocked.seen.ahead = ahead_of(found[0]);
  return true;
}

void QueueWatch::move_up() {
  stop();
  watch(Watched::admissions, 0, 0);
  if (watch_begun() == 0) stop();
}

void QueueWatch::change_endpoint() {
  caller_.gateway.turn();
  stop();
  os::sleep_until(plus(os::boot_ns(), kAfterTrouble));
}

// A watch stays silent when its member has lost the majority or was stopped. Renewals are made
// anyway: while the watched member answers them, the watch can be relied on.
Result<bool> QueueWatch::still_hears() {
  const Renewals now = caller_.lease.renewals();
  caller_.gateway.answered(now.sent_boot_ns);
  if (os::boot_ns() >= now.due_boot_ns) {
    if (const Result<bool> missed = ask_majority(); !missed.ok()) return missed.error();
    os::sleep_until(plus(os::boot_ns(), kAfterTrouble));
    return false;
  }
  if (now.stumbles == followed_at_.stumbles) return true;
  caller_.gateway.go_to(now.endpoint);
  return false;
}

Result<Wake> QueueWatch::follow(const Ticket& ticket, std::int64_t until_boot_ns) {
  caller_.lease.go_to(endpoint_);
  followed_at_ = caller_.lease.renewals();
  for (;;) {
    caller_.gateway.hang_up();  // the watch is our one connection
    std::string line;
    const std::int64_t due = caller_.lease.renewals().due_boot_ns;
    const std::int64_t end = std::min(until_boot_ns, lock().turns_end_boot_ns());
    switch (flow_->next(line, std::min(end, due), caller_.latch.descriptor())) {
      case Heard::time:
        if (os::boot_ns() >= end) return Wake::deadline;
        if (const Result<bool> hears = still_hears(); !hears.ok()) {
          return hears.error();
        } else if (hears.value()) {
          continue;
        }
        stop();
        return Wake::maybe;
      case Heard::interrupted:
        return Wake::interrupted;
      case Heard::broken:
        change_endpoint();
        return Wake::maybe;
      case Heard::line:
        break;
    }
    if (heed(ticket, line)) return Wake::maybe;
  }
}

bool QueueWatch::heed(const Ticket& ticket, const std::string& line) {
  std::string error;
  const std::optional<WatchReply> reply = parse_watch(line, error);
  if (reply && !reply->canceled && reply->events.empty()) return false;
  if (!reply || reply->canceled) {
    change_endpoint();
    return true;
  }
  return up_to_date_ ? heed_change(ticket, *reply) : heed_event(reply->events.back());
}

bool QueueWatch::heed_change(const Ticket& ticket, const WatchReply& reply) {
  OpenLock& blocked = lock();
  const std::optional<bool> changed =
      take_changes(blocked.keys, caller_.place(lock_, &ticket), reply, blocked.seen);
  // A waiter that removes its mark changes the state: it may be before us again.
  const bool unmarked =
      std::any_of(reply.events.begin(), reply.events.end(),
                  [&](const auto& each) { return each.key.key == blocked.keys.state(); });
  if (!changed || unmarked) stop();
  return !changed || *changed;
}

bool QueueWatch::heed_event(const WatchReply::Event& event) {
  OpenLock& blocked = lock();
  if (watched_ == Watched::place && blocked.keys.is_held(event.key.key)) {
    blocked.idle_revision = 0;
    if (event.erased) blocked.note_idle(event.key.modified);
    return false;
  }
  if (event.key.key == blocked.milestone) {
    if (event.erased) blocked.milestone.clear();
    if (event.erased) stop();
    return event.erased;
  }
  if (event.key.key == blocked.keys.newest()) {  // we may have been replaced
    stop();
    return true;
  }
  if (watched_ == Watched::place && !event.erased && !is_passed(event.key)) {
    blocked.seen.ahead = ahead_of(event.key);
    return false;
  }
  const bool moved_up = watched_ == Watched::place && caller_.locks.size() == 1 && event.erased;
  stop();
  const Request& request = caller_.request;
  const bool dated = !request.if_elapsed.is_zero() || request.rate.count > 0 || blocked.seen.ring;
  if (moved_up && caller_.keeps_place() && !dated && foresee(event.key.modified, blocked.seen)) {
    guessed_ = true;
    return true;
  }
  if (moved_up) move_up();
  return true;
}

// A transaction with a read waits for a majority even if its comparisons fail and the read is not
// made, as is normal here.
Result<bool> QueueWatch::ask_majority() {
  Txn txn;
  const bool follows = watched_ == Watched::place;
  if (follows) {
    txn.created_at(lock().seen.predecessor, 0);
  } else {
    txn.otherwise();
  }
  txn.range(caller_.gateway.access().prefix + "/");
  bool missed = false;
  const Answer answer = caller_.gateway.ask(
      "kv/txn", txn.text(), caller_.give_up(), Gateway::Repeat::yes, [&](std::string_view text) {
        const std::optional<TxnReply> reply = parse_txn(text, txn.parts(), txn.other_parts());
        if (!reply || (!reply->succeeded && !follows) ||
            !caller_.gateway.history().believes(reply->header))
          return false;
        missed = follows && reply->succeeded;
        return true;
      });
  if (answer.kind != Answer::Kind::good) return failure(answer, "waiting is over");
  return missed;
}

}  // namespace atmost::etcd
