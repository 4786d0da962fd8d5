#include "store.h"

#include <algorithm>
#include <charconv>
#include <memory>

#include "gateway.h"
#include "os/self.h"
#include "own_lease.h"
#include "session.h"
#include "store/fleet/locks.h"

namespace atmost::etcd {
namespace {

WaiterView waiter_view(const KeyValue& key, const Record& record) {
  WaiterView view;
  view.ticket = key.created;
  view.max = record.max;
  view.mode = record.mode;
  view.pid = record.pid;
  view.uid = record.uid;
  view.host = Text<63>(record.host);
  view.start = record.start(os::boot_hash());
  view.id = Text<63>(record.id);
  view.command = Text<63>(record.command);
  return view;
}

// Refuses what etcd cannot do and what no caller can mean.
Status check(const Request& request) {
  // A transaction takes 128 parts (etcd's --max-txn-ops), and all slots are taken in one.
  constexpr std::uint32_t kMostTaken = 64;
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    if (request.locks[i].take > kMostTaken)
      return error_of(Code::usage, 0, "--take: in etcd at most 64 slots are taken at once");
  }
  return fleet::check_distinct(request);
}

}  // namespace

Result<Owned<Session>> EtcdStore::open_for(const Request& request, OpenTo) {
  if (Status checked = check(request); !checked.ok()) return checked.error();
  return Owned<Session>(new EtcdSession(access_, history_, request, alone_));
}

Result<std::uint32_t> EtcdStore::inspect(const LockSpec& lock, const Instant&,
                                         LockVisitor* visitor) {
  const Keys keys(access_.prefix, fleet::key_of(lock));
  Request nothing;
  const CallerPlace place = {nothing, lock};
  Txn txn;
  txn.range(keys.admission(), end_of_prefix(keys.admission()));
  txn.range(keys.waiters(), end_of_prefix(keys.waiters()));
  Result<TxnReply> reply = transactions_.read(txn, transactions_.give_up());
  if (!reply.ok()) return reply.error();
  Snapshot seen;
  // A key that atmost did not write is named, and the rest is shown.
  for (const KeyValue& key : reply.value().parts[0].keys) {
    if (!take_key(keys, place, key, seen)) seen.alien = key.key;
  }
  std::vector<KeyValue>& waiters = reply.value().parts[1].keys;
  for (const KeyValue& key : waiters) {
    if (keys.queue_of_place(key.key) && !parse_record(key.value)) seen.alien = key.key;
  }
  Result<std::uint32_t> count(static_cast<std::uint32_t>(seen.holders.size()));
  if (!seen.alien.empty()) count = alien_key(seen.alien);
  if (visitor == nullptr) return count;
  LockVisitor::Header header;
  header.exists = !reply.value().parts[0].keys.empty();
  header.drained = seen.state.drained;
  header.token = seen.last_modified;
  if (!seen.forgotten()) header.last = {seen.last, seen.finish, seen.success};
  visitor->header(header);
  for (const std::uint32_t slot : seen.state.drained_slots) visitor->drained_slot(slot);
  for (const Snapshot::Holder& holder : seen.holders) visitor->holder(holder_view(holder));
  std::sort(waiters.begin(), waiters.end(), [](const KeyValue& one, const KeyValue& other) {
    return rule::is_before(one.created, other.created);
  });
  for (const KeyValue& key : waiters) {
    const std::optional<Record> record = parse_record(key.value);
    if (record && keys.queue_of_place(key.key)) visitor->waiter(waiter_view(key, *record));
  }
  return count;
}

Result<std::size_t> EtcdStore::list(std::string_view after, std::span<Text<255>> to) {
  const std::string base = access_.prefix + "/";
  std::string from = base;
  if (!after.empty())
    from += std::string(after) + "0";  // the first key behind all keys that begin with that and a
                                       // slash
  std::size_t count = 0;
  while (count < to.size()) {
    Txn txn;
    txn.first_key(from, end_of_prefix(base));
    Result<TxnReply> reply = transactions_.read(txn, transactions_.give_up());
    if (!reply.ok()) return reply.error();
    if (reply.value().parts[0].keys.empty()) break;
    const std::string_view key = reply.value().parts[0].keys[0].key;
    const std::size_t slash = key.find('/', base.size());
    const std::string name(
        key.substr(base.size(), slash == std::string_view::npos ? slash : slash - base.size()));
    if (slash != std::string_view::npos && name.ends_with(".lock")) to[count++] = Text<255>(name);
    from = base + name + "0";
  }
  return count;
}

Result<Store*> open_store(std::string_view url) {
  Result<Access> access = read_access(url);
  if (!access.ok()) return access.error();
  static std::unique_ptr<EtcdStore> store;
  store = std::make_unique<EtcdStore>(access.value(), true);
  return store.get();
}

Status end_lease(std::string_view url, std::string_view name) {
  const Result<Access> access = read_access(url);
  if (!access.ok()) return access.error();
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  if (error != std::errc() || end != name.data() + name.size() || id <= 0)
    return error_of(Code::usage, 0, "etcd: this is not the name of a lease");
  ClusterHistory history;
  Gateway gateway(access.value(), history);
  return OwnLease::end_of(id, gateway, Transactions(gateway).give_up());
}

}  // namespace atmost::etcd
