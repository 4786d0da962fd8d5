#include "queue_watch.h"

#include <algorithm>

#include "os/clock.h"

namespace atmost::etcd {
namespace {

// For an answer that is under way.
constexpr std::int64_t kMarginNs = 1'000'000'000;
// A holder that has answered is asked again after so many times its ttl.
constexpr std::int64_t kAgain = 4;

}  // namespace

bool Presence::freed(LockFacts& lock, std::size_t rank) {
  look_at_boot_ns_ = Duration::kForever;
  if (caller_.lease.id() == 0) return false;
  bool any = false;
  for (const Snapshot::Holder& each : lock.seen.holders) any = freed(lock, each, rank) || any;
  return any;
}

bool Presence::freed(LockFacts& lock, const Snapshot::Holder& holder, std::size_t rank) {
  if (!holder.record || holder.record->ttl_ns <= 0 || holder.lease == caller_.lease.id())
    return false;
  const std::int64_t now = os::boot_ns();
  const std::int64_t ttl = holder.record->ttl_ns;
  Known& known = known_[lock.keys.held(holder.slot)];
  if (known.token != holder.token) known = {holder.token, holder.modified, now};
  if (known.modified != holder.modified) {
    known.modified = holder.modified;
    known.since_boot_ns = now;
    known.answered = true;
  }
  const auto asked = lock.seen.questions.find(holder.slot);
  const std::uint64_t question = asked != lock.seen.questions.end() ? asked->second : 0;
  // Its asker has gone.
  if (question == 0 && lock.seen.revision > known.question) known.question = 0;
  const std::int64_t times = (known.answered ? kAgain : 1) + static_cast<std::int64_t>(rank);
  if (question <= holder.modified && now - known.since_boot_ns >= times * ttl)
    ask(lock, holder, question, known);
  if (question > holder.modified && known.question != question) {
    known.question = question;
    known.asked_boot_ns = now;
  }
  const bool open = known.question > holder.modified;
  const std::int64_t end =
      open ? plus(known.asked_boot_ns, {ttl + drift_ns(ttl) + kMarginNs})
           : plus(std::max(known.since_boot_ns + times * ttl, now), Duration::millis(100));
  if (open && question != 0 && now >= end) return erase(lock, holder);
  look_at_boot_ns_ = std::min(look_at_boot_ns_, std::max(end, now + Duration::millis(100).ns));
  return false;
}

void Presence::ask(LockFacts& lock, const Snapshot::Holder& holder, std::uint64_t before,
                   Known& known) {
  const std::string key = lock.keys.question(holder.slot);
  Txn txn;
  txn.created_at(lock.keys.held(holder.slot), holder.token).modified_at(key, before);
  txn.put(key, "{}", caller_.lease.id());
  const std::uint64_t asked = caller_.transactions.write(txn, caller_.give_up()).revision();
  if (asked == 0) return;
  known.question = asked;
  known.asked_boot_ns = os::boot_ns();
}

bool Presence::erase(LockFacts& lock, const Snapshot::Holder& holder) {
  const std::string key = lock.keys.held(holder.slot);
  Txn txn;
  txn.modified_at(key, holder.modified).erase(key).erase(lock.keys.question(holder.slot));
  return caller_.transactions.write(txn, caller_.give_up()).done();
}

}  // namespace atmost::etcd
