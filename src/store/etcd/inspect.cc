// What there is to see, and the little that is changed without holding anything.
#include <algorithm>

#include "etcd_store.h"
#include "os/clock.h"
#include "os/machine.h"
#include "os/self.h"
#include "view.h"
#include "words.h"

namespace atmost::etcd {
namespace {

// Contention is short: who changes a/state does so rarely.
constexpr int kTries = 32;

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

}  // namespace

Result<std::uint32_t> EtcdStore::inspect(const LockSpec& lock, const Instant&,
                                         LockVisitor* visitor) {
  const Keys keys(access_.prefix, lock_of(lock));
  static const Request nothing;
  const Viewer viewer = {nothing, lock, 0, 0, true};
  Txn txn;
  txn.range(keys.admission(), end_of_prefix(keys.admission()));
  txn.range(keys.waiters(), end_of_prefix(keys.waiters()));
  Result<TxnReply> reply = read(txn, give_up());
  if (!reply.ok()) return reply.error();
  Snapshot seen;
  // What is none of ours is named, and the rest is shown.
  for (const KeyValue& key : reply.value().parts[0].keys) {
    if (!take_key(keys, viewer, key, seen)) seen.alien = key.key;
  }
  std::vector<KeyValue>& waiters = reply.value().parts[1].keys;
  for (const KeyValue& key : waiters) {
    if (!parse_record(key.value)) seen.alien = key.key;
  }
  const Result<std::uint32_t> count =
      seen.alien.empty() ? Result<std::uint32_t>(static_cast<std::uint32_t>(seen.holders.size()))
                         : alien_key(seen.alien);
  if (visitor == nullptr) return count;
  LockVisitor::Header header;
  header.exists = !reply.value().parts[0].keys.empty();
  header.drained = seen.state.drained;
  header.token = seen.last_modified;
  if (!seen.forgotten()) header.last = {seen.last, seen.finish, seen.success};
  visitor->header(header);
  for (const std::uint32_t slot : seen.state.drained_slots) visitor->drained_slot(slot);
  for (const Snapshot::Holder& holder : seen.holders) visitor->holder(holder_view(holder));
  std::sort(waiters.begin(), waiters.end(),
            [](const KeyValue& one, const KeyValue& other) { return one.created < other.created; });
  for (const KeyValue& key : waiters) {
    const std::optional<Record> record = parse_record(key.value);
    if (record && !record->inside) visitor->waiter(waiter_view(key, *record));
  }
  return count;
}

template <class Change>
Status EtcdStore::change_state(const Keys& keys, Change change) {
  const std::int64_t end = give_up();
  Answer answer{Answer::Kind::unknown, "others change it all the time"};
  for (int i = 0; i < kTries; ++i) {
    Txn look;
    look.range(keys.state()).range(keys.last());
    Result<TxnReply> read_reply = read(look, end);
    if (!read_reply.ok()) return read_reply.error();
    const std::vector<KeyValue>& found = read_reply.value().parts[0].keys;
    const std::vector<KeyValue>& last = read_reply.value().parts[1].keys;
    std::optional<State> state = found.empty() ? State{} : parse_state(found[0].value);
    if (!state) return alien_key(keys.state());
    Txn txn;
    txn.modified_at(keys.state(), found.empty() ? 0 : found[0].modified);
    if (!change(*state, last.empty() ? 0 : last[0].modified, txn)) return {};
    txn.put(keys.state(), state->text(), lease_of(*state));
    TxnReply reply;
    const Applied applied = write(txn, end, reply, answer);
    if (applied == Applied::yes) return {};
    if (answer.kind != Answer::Kind::good) break;
    answer = {Answer::Kind::unknown, "others change it all the time"};
  }
  return failure(answer, "the lock's state cannot be changed");
}

Status EtcdStore::set_drained(const Request& request, std::uint32_t slot, bool drained) {
  if (slot > kMaxSlots) return error_of(Code::usage, 0, "no such slot: at most 262144");
  const Keys keys(access_.prefix, lock_of(request.locks[0]));
  return change_state(keys, [&](State& state, std::uint64_t, Txn&) {
    std::vector<std::uint32_t>& slots = state.drained_slots;
    if (slot == 0) {
      state.drained = drained;
      if (!drained) slots.clear();
      return true;
    }
    const auto place = std::lower_bound(slots.begin(), slots.end(), slot);
    const bool there = place != slots.end() && *place == slot;
    if (drained && !there) slots.insert(place, slot);
    if (!drained && there) slots.erase(place);
    return true;
  });
}

Status EtcdStore::forget(const Request& request) {
  const Keys keys(access_.prefix, lock_of(request.locks[0]));
  return change_state(keys, [&](State& state, std::uint64_t last, Txn& txn) {
    for (const char* of : {"cool/", "ever/"}) {
      const std::string intervals = keys.admission() + of;
      txn.erase(intervals, end_of_prefix(intervals));
    }
    txn.erase(keys.finish()).erase(keys.success());
    state.forgotten = last;
    return true;
  });
}

Result<std::uint32_t> EtcdStore::count_refusal(const Request& request, std::uint32_t lock) {
  const Keys keys(access_.prefix, lock_of(request.locks[lock]));
  std::uint32_t count = 0;
  const Status changed = change_state(keys, [&](State& state, std::uint64_t last, Txn&) {
    count = state.refused_since == last ? state.refusals + 1 : 1;
    state.refusals = count;
    state.refused_since = last;
    return true;
  });
  if (!changed.ok()) return changed.error();
  return count;
}

Result<std::size_t> EtcdStore::next_keys(std::string_view after, std::span<Text<255>> to) {
  const std::string base = access_.prefix + "/";
  std::string from = base;
  if (!after.empty())
    from += std::string(after) + "0";  // the first key behind all with a slash there
  std::size_t count = 0;
  while (count < to.size()) {
    Txn txn;
    txn.first_key(from, end_of_prefix(base));
    Result<TxnReply> reply = read(txn, give_up());
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

}  // namespace atmost::etcd
