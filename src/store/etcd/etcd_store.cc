#include "etcd_store.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "core/lease_time.h"
#include "os/clock.h"
#include "os/self.h"
#include "words.h"

namespace atmost::etcd {
namespace {

// Somebody was told to end: it is not to wait long for a store that is not there; its lease ends by
// itself.
constexpr Duration kFarewell = Duration::seconds(2);

}  // namespace

EtcdStore::EtcdStore(const Access& access, bool alone)
    : access_(access), gateway_(access_, ledger_), lease_(access_, ledger_), alone_(alone) {}

EtcdStore::~EtcdStore() {
  stop_following();
  lease_.end(gateway_, plus(os::boot_ns(), kFarewell));
}

std::int64_t EtcdStore::give_up() const { return plus(os::boot_ns(), access_.timeout); }

Viewer EtcdStore::viewer(const Request& request, std::size_t lock, const Ticket* queue) const {
  const bool drawn = queue != nullptr && queue->drawn;
  return {request,     entries_[lock].spec, drawn ? queue->numbers[lock] : 0,
          lease_.id(), queue == nullptr,    entries_[lock].deep};
}

Error EtcdStore::give_in(Error error) {
  stop_following();
  if (gateway_.silent()) lease_.abandon();
  return error;
}

Status EtcdStore::open(const Request& request) {
  std::vector<std::string> paths;
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    std::string path(request.locks[i].path.view());
    if (std::find(paths.begin(), paths.end(), path) != paths.end()) {
      Error twice = error_of(Code::usage, 0, request.locks[i].name);
      twice.message.append(": the same lock twice: leave one of them out");
      return twice;
    }
    paths.push_back(std::move(path));
  }
  const bool same = paths == opened_;
  if (!same) {
    stop_following();
    entries_.clear();
  }
  entries_.resize(request.lock_count);
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    // A transaction takes 128 parts (etcd's --max-txn-ops), and all slots are taken in one.
    constexpr std::uint32_t kMostTaken = 64;
    if (request.locks[i].take > kMostTaken) {
      return error_of(Code::usage, 0, "--take: in etcd at most 64 slots are taken at once");
    }
    if (!same) entries_[i].keys = Keys(access_.prefix, lock_of(request.locks[i]));
    entries_[i].spec = request.locks[i];
  }
  opened_ = std::move(paths);
  return {};
}

Status EtcdStore::ensure_lease(const Request& request, std::int64_t give_up_boot_ns) {
  if (alone_) latch_.arm();
  return lease_.ensure(gateway_, std::max(request.ttl, shortest_ttl({})), give_up_boot_ns);
}

void EtcdStore::leave_if_told() {
  if (!latch_.is_set()) return;
  stop_following();
  lease_.end(gateway_, plus(os::boot_ns(), kFarewell));
  latch_.obey();
}

Text<80> EtcdStore::own_lease() const {
  Text<80> name;
  if (lease_.id() != 0) name.append_signed(lease_.id());
  return name;
}

Status EtcdStore::end_lease(std::string_view name) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  if (error != std::errc() || end != name.data() + name.size() || id <= 0)
    return error_of(Code::usage, 0, "etcd: this is no name of a lease");
  return OwnLease::end_of(id, gateway_, give_up());
}

bool EtcdStore::contested(std::uint32_t, std::uint32_t) const {
  return lease_.upkeep().asked_to_stop;
}

Upkeep EtcdStore::upkeep(std::uint32_t) const { return lease_.upkeep(); }

const HeldLock& EtcdStore::held(std::uint32_t, std::uint32_t lock) const {
  return entries_[lock].held;
}

void EtcdStore::release(std::uint32_t, Ending ending, const Instant& now) {
  if (!holding_) return;
  holding_ = false;
  lease_.let_go(gateway_);
  // Until another leader is elected others would have to wait for the whole ttl; when that is over
  // there is nothing to release any more.
  const std::int64_t end = std::min(give_up(), lease_.upkeep().until_boot_ns);
  Txn txn;
  const std::string moment = moment_text(now, os::boot_hash());
  const bool counted = elapsed_from_ != ElapsedFrom::start && !if_elapsed_.is_zero() &&
                       ending != Ending::unknown &&
                       (elapsed_from_ == ElapsedFrom::finish || ending == Ending::success);
  Cooled cooled = interval_of(if_elapsed_);
  if (!now.given) cooled.witnesses.push_back({own_place(), now.boot_ns});
  std::int64_t interval = 0;
  if (counted && !if_elapsed_.is_forever()) {
    const Result<std::int64_t> granted = grant(cooled.lease_s, end);
    if (granted.ok()) interval = granted.value();
  }
  for (Entry& entry : entries_) {
    for (std::uint32_t i = 0; i < entry.held.count; ++i) {
      // Should the lease have ended unnoticed, the slot may be another's by now.
      txn.created_at(entry.keys.held(entry.held.slots[i]), entry.held.token);
      txn.erase(entry.keys.held(entry.held.slots[i]));
    }
    if (std::exchange(entry.place_kept, false))
      txn.erase(entry.keys.waiter(entry.spec, lease_.id()));
    if (ending != Ending::unknown) txn.put(entry.keys.finish(), moment, memory_lease());
    if (ending == Ending::success) txn.put(entry.keys.success(), moment, memory_lease());
    if (counted && if_elapsed_.is_forever()) txn.put(entry.keys.ever(elapsed_from_), moment);
    if (interval != 0) txn.put(entry.keys.cooling(elapsed_from_), cooled.text(), interval);
    entry.held = {};
  }
  if (!lease_.upkeep().lost) {
    TxnReply reply;
    Answer answer;
    (void)write(txn, end, reply, answer, Gateway::Repeat::yes);
  }
  lease_.end(gateway_, end);
  gateway_.hang_up();
}

Result<FleetStore*> open_store(std::string_view url) {
  Result<Access> access = read_access(url);
  if (!access.ok()) return access.error();
  // Ends with the process, which may end anywhere.
  static EtcdStore* const store = new EtcdStore(access.value(), true);
  return store;
}

}  // namespace atmost::etcd
