// Any answer of a gateway is read or refused; an accepted one is consistent, and a lock is read
// from it without harm.
#include <string_view>

#include "require.h"
#include "store/etcd/records.h"
#include "store/etcd/view.h"
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
  if (!take_snapshot(keys, place, *reply, part, seen)) return;
  require(part == txn.parts().size());
  std::vector<HolderView> holders;
  const View view = view_of(seen, place, {}, -1, holders);
  require(view.held == holders.size());
  const std::vector<std::uint32_t> free = free_slots(seen, place);
  for (const Snapshot::Holder& holder : seen.holders) {
    for (const std::uint32_t slot : free)
      require(slot != holder.slot && slot >= 1 && slot <= lock.max);
  }
}

void read_values(std::string_view text) {
  if (const std::optional<Record> record = parse_record(text)) {
    const std::optional<Record> again = parse_record(record->text());
    require(again && again->take == record->take && again->max == record->max &&
            again->mode == record->mode);
  }
  if (const std::optional<State> state = parse_state(text)) {
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
