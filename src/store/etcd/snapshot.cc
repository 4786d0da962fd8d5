#include "facts.h"

#include <algorithm>
#include <utility>

#include "os/self.h"

namespace atmost::etcd {
namespace {

void hold(Snapshot& to, Snapshot::Holder holder) {
  const auto place =
      std::lower_bound(to.holders.begin(), to.holders.end(), holder.slot,
                       [](const auto& each, std::uint32_t slot) { return each.slot < slot; });
  if (place != to.holders.end() && place->slot == holder.slot) {
    *place = std::move(holder);
  } else {
    to.holders.insert(place, std::move(holder));
  }
}

// Waiters behind ticket `own` (0: none is) cannot have a claim before it. A plain caller counts as
// a reader for writers.
bool take_waiters(const Keys& keys, const LockSpec& lock, std::uint64_t own, const PartReply& part,
                  Snapshot& to) {
  for (const KeyValue& key : part.keys) {
    to.read_to = std::max(to.read_to, key.created);
    const std::optional<rule::Queue> queue = keys.queue_of_place(key.key);
    const bool counts = queue && (*queue == rule::queue_of(lock) || *queue == rule::kModeQueue);
    if (!counts || (own != 0 && rule::is_before(own, key.created))) continue;
    std::optional<Record> record = parse_record(key.value);
    if (!record) {
      to.alien = key.key;
      return false;
    }
    to.waiters.push_back({key.created, key.lease, key.key, std::move(*record), *queue});
  }
  return true;
}

}  // namespace

HolderView holder_view(const Snapshot::Holder& holder) {
  HolderView view;
  view.slot = holder.slot;
  view.token = view.hold = holder.token;
  view.verified = true;  // its lease is alive
  view.has_record = holder.record.has_value();
  if (!holder.record) return view;
  const Record& record = *holder.record;
  view.kind = HolderKind::supervised;
  view.pid = record.pid;
  view.uid = record.uid;
  view.host = Text<63>(record.host);
  view.start = record.start(os::boot_hash());
  view.expire_after = {record.expire_ns};
  view.id = Text<63>(record.id);
  view.command = Text<63>(record.command);
  return view;
}

rule::State rule_state(const State& state, std::uint64_t last) {
  rule::State to;
  to.token = last;
  to.drained = state.drained;
  to.refusals = state.refused_since == last ? state.refusals : 0;
  to.failures = state.failures;
  return to;
}

bool take_key(const Keys& keys, const CallerPlace& place, const KeyValue& key, Snapshot& to) {
  const std::uint64_t boot = os::boot_hash();
  if (keys.is_held(key.key) || keys.is_taking(key.key)) {
    const std::uint32_t slot = Keys::slot_of(key.key);
    if (slot == 0) return false;
    if (keys.is_taking(key.key)) {
      to.taken[slot] = key.lease;
    } else {
      hold(to, {slot, key.created, key.lease, parse_record(key.value), key.modified});
    }
  } else if (keys.is_question(key.key)) {
    to.questions[Keys::slot_of(key.key)] = key.modified;
  } else if (key.key == keys.state()) {
    std::optional<State> state = parse_state(key.value);
    if (!state) return false;
    to.state = std::move(*state);
    to.state_modified = key.modified;
  } else if (key.key == keys.last()) {
    const std::optional<Stamp> moment = parse_moment(key.value, boot);
    if (!moment) return false;
    to.last_modified = key.modified;
    to.last = *moment;
    to.last_place = place_of_moment(key.value);
  } else if (key.key == keys.rate()) {
    to.ring = parse_ring(key.value);
    if (!to.ring) return false;
    to.ring_modified = key.modified;
  } else if (key.key == keys.newest()) {
    to.superseding = key.modified;
  } else if (key.key == keys.finish()) {
    const std::optional<Stamp> moment = parse_moment(key.value, boot);
    if (!moment) return false;
    to.finish = *moment;
  } else if (key.key == keys.success()) {
    const std::optional<Stamp> moment = parse_moment(key.value, boot);
    if (!moment) return false;
    to.success = *moment;
  } else if (key.key == keys.ever(place.request.elapsed_from)) {
    to.ever = parse_moment(key.value, boot).value_or(Stamp{});
    to.ever.known = true;  // only its existence counts
  } else if (key.key == keys.cooling(place.request.elapsed_from)) {
    to.cooling_modified = key.modified;
    to.cooling_lease = key.lease;
    to.cooled = parse_cooled(key.value);
    if (!to.cooled) return false;
  }
  return true;
}

void ask_for_snapshot(const Keys& keys, const CallerPlace& place, Txn& txn) {
  txn.range(keys.admission(), end_of_prefix(keys.admission()));
  txn.oldest(keys.waiters(), 0, kPage);
  // The place that is being drawn is the youngest of all.
  if (place.ticket != 0 || place.draws)
    txn.youngest(keys.queue(place.lock), place.draws ? 0 : place.ticket, kNear + 2);
}

bool take_snapshot(const Keys& keys, const CallerPlace& asked, const TxnReply& reply,
                   std::size_t& part, Snapshot& to) {
  CallerPlace place = asked;
  if (place.draws) place.ticket = reply.header.revision;
  to = {};
  to.revision = reply.header.revision;
  for (const KeyValue& key : reply.parts[part++].keys) {
    if (!take_key(keys, place, key, to)) {
      to.alien = key.key;
      return false;
    }
  }
  const PartReply& oldest = reply.parts[part++];
  if (!take_waiters(keys, place.lock, place.ticket, oldest, to)) return false;
  to.more_waiters = oldest.more && (place.ticket == 0 || rule::is_before(to.read_to, place.ticket));
  to.queued = oldest.count;
  if (place.ticket == 0) return true;
  const PartReply& youngest = reply.parts[part++];
  to.in_queue = youngest.count;
  for (const KeyValue& key : youngest.keys) {
    const bool own = key.created == place.ticket && key.lease == place.lease;
    to.place_is_there = to.place_is_there || own;
    if (rule::is_before(key.created, place.ticket) && to.before.size() <= kNear)
      to.before.push_back(key.key);
  }
  return true;
}

void ask_for_page(const Keys& keys, const Snapshot& seen, Txn& txn) {
  txn.oldest(keys.waiters(), seen.read_to + 1, kPage);
}

bool take_page(const Keys& keys, const LockSpec& lock, const PartReply& part, Snapshot& to) {
  to.more_waiters = part.keys.size() == kPage;
  return take_waiters(keys, lock, 0, part, to);
}

}  // namespace atmost::etcd
