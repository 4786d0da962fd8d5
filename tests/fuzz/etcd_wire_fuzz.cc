// Any answer of a gateway is read or refused; an accepted one is consistent, and a lock is read
// from it without harm.
#include <algorithm>
#include <string_view>

#include "require.h"
#include "store/etcd/facts.h"
#include "store/etcd/records.h"
#include "store/etcd/wire.h"

namespace {

using namespace atmost;
using namespace atmost::etcd;

LockSpec plain_lock(std::uint32_t max) {
  LockSpec lock;
  lock.max = max;
  lock.name = "lock";
  lock.path = "etcd://fuzz/lock.lock";
  return lock;
}

void check_keys(const TxnReply& reply, const std::vector<TxnPart>& asked) {
  require(reply.header.cluster != 0 && reply.header.revision != 0);
  require(!reply.succeeded || reply.parts.size() == asked.size());
  for (std::size_t part = 0; part < reply.parts.size(); ++part) {
    for (const KeyValue& key : reply.parts[part].keys) {
      require(asked[part].holds(key.key) && key.created != 0 && key.lease >= 0);
      require(key.created <= key.modified && key.modified <= reply.header.revision);
    }
  }
}

void check_slots(const std::vector<std::uint32_t>& slots) {
  std::uint32_t before = 0;
  for (const std::uint32_t slot : slots) {
    require(slot > before && slot <= kMaxSlots);
    before = slot;
  }
}

void check_snapshot(const Snapshot& seen) {
  std::vector<std::uint32_t> held;
  for (const Snapshot::Holder& holder : seen.holders) {
    require(holder.token != 0 && holder.token <= seen.revision);
    held.push_back(holder.slot);
  }
  check_slots(held);
  check_slots(seen.state.drained_slots);
  for (const auto& [slot, lease] : seen.taken) require(slot >= 1 && slot <= kMaxSlots);
  require(seen.last_modified <= seen.revision && seen.read_to <= seen.revision);
  std::uint64_t before = 0;
  for (const Snapshot::Waiter& waiter : seen.waiters) {
    require(waiter.ticket > before && waiter.ticket <= seen.revision && waiter.queue <= kMaxSlots);
    before = waiter.ticket;
  }
}

// Further waiters cannot be asked for, as no etcd runs here.
Transactions& nobody() {
  static ClusterHistory history;
  static Gateway gateway({{"http://127.0.0.1:1"}, "/p", {}, {}, {}, {}, {}, {}}, history);
  static Transactions transactions(gateway);
  return transactions;
}

// As the rule asks for it.
void check_facts(Snapshot seen, const CallerPlace& place) {
  seen.more_waiters = false;
  LockFacts facts("/p", place.lock, nobody());
  facts.seen = std::move(seen);
  Instant now;
  now.real_ns = now.boot_ns = 1'000'000'000;
  facts.begin(place, now, now.boot_ns);
  require(facts.held(kMaxSlots) == facts.seen.holders.size());
  require(facts.others().above <= facts.seen.holders.size());
  require(facts.reserve(place.lock.max) == facts.reserved().size());
  const rule::Table& table = facts.table();
  std::uint32_t before = 0;
  for (const std::uint32_t slot : facts.reserved()) {
    require(slot > before && slot <= place.lock.max);
    for (const HolderView& holder : table.holders) require(holder.slot != slot);
    require(std::count(table.drained.begin(), table.drained.end(), slot) == 0);
    require(place.ticket != 0 ||
            std::count(table.taken_over.begin(), table.taken_over.end(), slot) == 0);
    before = slot;
  }
  for (const rule::Queue queue : {rule::queue_of(place.lock), rule::kModeQueue}) {
    std::uint64_t after = 0;
    while (const std::uint64_t ticket = facts.next_waiter(queue, after).ticket) {
      require(rule::is_before(after, ticket) && ticket != place.ticket);
      after = ticket;
    }
  }
  require(facts.claimants(UINT64_MAX).size() <= facts.seen.waiters.size());
  require(facts.error().ok());
}

// As a waiter with a place reads it, and as a newcomer does.
void read_lock(std::string_view text, std::uint64_t ticket) {
  static const Request request;
  static const LockSpec lock = plain_lock(4);
  static const Keys keys("/p", "lock.lock");
  const CallerPlace place = {request, lock, ticket, ticket != 0 ? 77 : 0, false};
  Txn txn;
  ask_for_snapshot(keys, place, txn);
  const std::optional<TxnReply> reply = parse_txn(text, txn.parts());
  if (!reply) return;
  check_keys(*reply, txn.parts());
  if (!reply->succeeded) return;
  Snapshot seen;
  std::size_t part = 0;
  if (!take_snapshot(keys, place, *reply, part, seen)) {
    require(!seen.alien.empty());
    return;
  }
  require(part == txn.parts().size());
  check_snapshot(seen);
  check_facts(std::move(seen), place);
}

void read_values(std::string_view text) {
  if (const std::optional<Record> record = parse_record(text)) {
    const std::optional<Record> again = parse_record(record->text());
    require(again && again->take == record->take && again->max == record->max &&
            again->mode == record->mode);
  }
  if (const std::optional<State> state = parse_state(text)) {
    check_slots(state->drained_slots);
    const std::optional<State> again = parse_state(state->text());
    require(again && again->drained_slots == state->drained_slots &&
            again->forgotten == state->forgotten);
  }
  if (const std::optional<Ask> ask = parse_ask(text))
    require(parse_ask(ask->text())->token == ask->token);
  (void)parse_moment(text, 1);
  (void)Keys::slot_of(text);
  if (const std::optional<std::string> bytes = from_base64(text)) require(base64(*bytes) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  read_lock(text, 0);
  read_lock(text, 9);
  if (const std::optional<LeaseReply> lease = parse_lease(text))
    require(lease->id > 0 && lease->ttl >= kAbsentTtl);
  std::string error;
  if (const std::optional<WatchReply> watch = parse_watch(text, error)) {
    for (const WatchReply::Event& event : watch->events)
      require(event.key.modified <= watch->header.revision);
  }
  (void)parse_status(text);
  (void)parse_header(text);
  (void)parse_token(text);
  (void)error_words(text);
  read_values(text);
  return 0;
}
