#include "queue_watch.h"

#include <algorithm>

#include "gateway.h"
#include "os/clock.h"

namespace atmost::etcd {
namespace {

// A waiter looks at least this often, so that a lost event only delays it.
constexpr Duration kLongestQuiet = Duration::seconds(60);
// A waiter far behind, which does not watch the lock, looks more often, as all before it may be
// dead; the more there are, the less often.
constexpr Duration kFarQuiet = Duration::millis(2500);
constexpr Duration kFarQuietForEach = Duration::millis(50);
// The waiter before us has so long to take a free slot, or to leave, before we look what it does.
constexpr Duration kGrace = Duration::millis(300);
// An admission takes a slot and gives up a place at once, but two watches report it.
constexpr Duration kSameWrite = Duration::millis(10);
constexpr Duration kAfterTrouble = Duration::millis(100);
// For the first line of a watch.
constexpr Duration kBeginning = Duration::millis(700);

// `revision`: the first that is reported; 0: the next one.
std::string watch_body(const std::string& from, const std::string& end, std::uint64_t revision) {
  std::string body = "{\"create_request\":{\"key\":\"" + base64(from) + '"';
  if (!end.empty()) body += ",\"range_end\":\"" + base64(end) + '"';
  if (revision != 0) body += ",\"start_revision\":\"" + std::to_string(revision) + '"';
  return body + "}}\n";
}

}  // namespace

Result<Wake> QueueWatch::await(std::uint32_t lock, const Ticket& ticket,
                               std::int64_t deadline_boot_ns) {
  if (lock != lock_) stop();
  lock_ = lock;
  // A member that does not answer reports no events either.
  if (flow_ != nullptr && endpoint_ != caller_.gateway.endpoint()) stop();
  stand(ticket);
  const bool near = stands_ == Watched::lock;
  if (near && presence_.freed(this->lock(), ahead_.size())) return Wake::maybe;
  const bool as_before = flow_ != nullptr && watched_ == stands_ &&
                         (place_ahead_.empty() || place_ahead_ == watched_place_);
  if (!as_before || this->lock().seen.revision < heard_revision_) {
    const Result<bool> begun = begin();
    if (!begun.ok()) return begun.error();
    if (!begun.value()) return Wake::maybe;
  }
  std::int64_t until = plus(os::boot_ns(), {quiet_ns()});
  if (near) until = std::min(until, presence_.look_at_boot_ns());
  // Until its rate allows it, every attempt is too soon.
  if (near && ticket.due_boot_ns > os::boot_ns())
    until = std::min(until, plus(ticket.due_boot_ns, ahead_.empty() ? Duration{} : kGrace));
  until = std::min(until, deadline_boot_ns);
  Result<Wake> woken = follow(until);
  if (!woken.ok()) return woken;
  if (woken.value() == Wake::deadline && os::boot_ns() < deadline_boot_ns) return Wake::maybe;
  return woken;
}

void QueueWatch::stop() {
  flow_.reset();
  watched_ = Watched::nothing;
}

void QueueWatch::stand(const Ticket& ticket) {
  const LockFacts& waited = lock();
  const Snapshot& seen = waited.seen;
  ahead_ = waited.claimants(ticket.numbers[lock_]);
  held_.clear();
  for (const Snapshot::Holder& each : seen.holders) held_.insert(each.slot);
  look_at_boot_ns_ = Duration::kForever;
  const bool near = seen.before.size() <= kNear || (!seen.more_waiters && ahead_.size() <= kNear);
  stands_ = near ? Watched::lock : Watched::far_ahead;
  place_ahead_ = near ? std::string() : seen.before.back();
  if (near && !ahead_.empty()) place_ahead_ = ahead_.back().key;
}

std::int64_t QueueWatch::quiet_ns() const {
  if (stands_ == Watched::lock) return kLongestQuiet.ns;
  const auto waiting = static_cast<std::int64_t>(caller_.locks[lock_].seen.in_queue);
  return std::max(kFarQuiet.ns, kFarQuietForEach.ns * waiting);
}

// Etcd reports at once what happens after a watch began, but earlier events only every tenth of a
// second. So we watch from now on, and look again if something happened since we looked.
Result<bool> QueueWatch::begin() {
  stop();
  const LockFacts& waited = lock();
  const std::uint64_t known = waited.seen.revision;
  const bool near = stands_ == Watched::lock;
  const std::uint64_t from = near ? 0 : known + 1;
  std::string body = watch_body(waited.keys.waiter(waited.spec, caller_.lease.id()), {}, from);
  if (!place_ahead_.empty()) body += watch_body(place_ahead_, {}, from);
  const std::string all = waited.keys.admission();
  if (near) body += watch_body(all, end_of_prefix(all), from);
  if (!near && caller_.request.on_busy == OnBusy::supersede)
    body += watch_body(waited.keys.newest(), {}, from);
  flow_ = caller_.gateway.flow("watch", body);
  endpoint_ = caller_.gateway.endpoint();
  watched_ = stands_;
  watched_place_ = place_ahead_;
  heard_revision_ = known;
  if (!near) return flow_ != nullptr;
  std::uint64_t begun = std::min(watch_begun(), watch_begun());  // one for each watch
  if (!place_ahead_.empty()) begun = std::min(begun, watch_begun());
  if (begun == 0) {
    // The member is silent, or has no leader: find out in time whether there is a majority.
    change_endpoint();
    if (Status there = ask_majority(); !there.ok()) return there.error();
    return false;
  }
  heard_revision_ = begun;
  return begun == known;
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
    if (Status there = ask_majority(); !there.ok()) return there.error();
    os::sleep_until(plus(os::boot_ns(), kAfterTrouble));
    return false;
  }
  if (now.endpoint == endpoint_) return true;
  caller_.gateway.go_to(now.endpoint);
  return false;
}

Result<Wake> QueueWatch::follow(std::int64_t until_boot_ns) {
  caller_.lease.go_to(endpoint_);
  for (;;) {
    caller_.gateway.hang_up();  // the watch is our one connection
    std::string line;
    const std::int64_t due = caller_.lease.renewals().due_boot_ns;
    const std::int64_t end = std::min(until_boot_ns, look_at_boot_ns_);
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
    if (heed(line)) return Wake::maybe;
  }
}

bool QueueWatch::heed(const std::string& line) {
  std::string error;
  const std::optional<WatchReply> reply = parse_watch(line, error);
  if (!reply || reply->canceled) {
    change_endpoint();
    return true;
  }
  caller_.gateway.history().note(reply->header.revision);  // nor a look that lacks these events
  bool looks = false;
  for (const WatchReply::Event& each : reply->events) looks = heed_event(each) || looks;
  return looks;
}

bool QueueWatch::heed_event(const WatchReply::Event& event) {
  const Keys& keys = lock().keys;
  if (!watched_place_.empty() && event.key.key == watched_place_)
    return event.erased && heed_gone();
  // We may have been replaced, or another caller has noted our turn.
  if (event.key.key == keys.newest() || keys.queue_of_place(event.key.key)) return true;
  return heed_change_of_lock(event);
}

// A waiter far behind has moved up: it watches before it looks, so one look is enough.
bool QueueWatch::heed_gone() {
  if (watched_ == Watched::far_ahead) {
    stands_ = Watched::lock;
    place_ahead_ = lock().seen.before.front();
    (void)begin();
    return true;
  }
  const auto gone = std::find_if(ahead_.begin(), ahead_.end(),
                                 [&](const auto& each) { return each.key == watched_place_; });
  const bool admitted = gone == ahead_.end();
  if (!admitted) ahead_.erase(gone);
  if (admitted || !ahead_.empty()) return !full() || !ahead_.empty();
  if (!full()) look_at_boot_ns_ = std::min(look_at_boot_ns_, plus(os::boot_ns(), kSameWrite));
  return false;
}

bool QueueWatch::full() const {
  const LockSpec& spec = caller_.locks[lock_].spec;
  const auto behind = held_.upper_bound(spec.max);
  const auto count = static_cast<std::uint32_t>(std::distance(held_.begin(), behind));
  return spec.mode == Mode::plain && count + spec.take > spec.max;
}

// A waiter that is not the first gives those before it a moment.
bool QueueWatch::heed_change_of_lock(const WatchReply::Event& event) {
  const Keys& keys = lock().keys;
  const std::string& key = event.key.key;
  if (keys.is_held(key) && !event.erased) {
    held_.insert(Keys::slot_of(key));
    const bool by_one_before =
        std::erase_if(ahead_, [&](const auto& each) { return each.lease == event.key.lease; }) > 0;
    if (full()) look_at_boot_ns_ = Duration::kForever;
    return by_one_before && ahead_.empty() && !full();
  }
  if (keys.is_held(key)) held_.erase(Keys::slot_of(key));
  const bool makes_room = (event.erased && (keys.is_held(key) || keys.is_taking(key))) ||
                          key == keys.state() ||
                          (key == keys.rate() && caller_.request.rate.count > 0);
  if (!makes_room) return false;
  if (!ahead_.empty()) look_at_boot_ns_ = std::min(look_at_boot_ns_, plus(os::boot_ns(), kGrace));
  return ahead_.empty();
}

// A transaction with a read waits for a majority even if the read is not made, as is normal here.
Status QueueWatch::ask_majority() {
  Txn txn;
  txn.otherwise();
  txn.range(caller_.gateway.access().prefix + "/");
  const Written answered = caller_.transactions.write(txn, caller_.give_up(), Gateway::Repeat::yes);
  return answered.done() ? Status{} : Status{failure(answered.answer, "waiting is over")};
}

}  // namespace atmost::etcd
