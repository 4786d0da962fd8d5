#include "rates.h"

#include <algorithm>

#include "os/clock.h"
#include "words.h"

namespace atmost::etcd {
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
