#include "snapshot.h"

#include <algorithm>

#include "os/self.h"
#include "store/fleet/nesting.h"

namespace atmost::etcd {
namespace {

// The other prefix that waiters with a claim before ours lie under; empty: none.
std::string other_queue(const Keys& keys, const LockSpec& lock) {
  return lock.mode == Mode::exclusive ? keys.readers() : keys.writers();
}

}  // namespace

Snapshot::Ahead ahead_of(const KeyValue& place) {
  const std::optional<Record> record = parse_record(place.value);
  if (!record || !record->inside) return {};
  return {place.modified, record->state};
}

bool foresee(std::uint64_t revision, Snapshot& to) {
  if (to.ahead.admitted == 0 || to.ahead.state_modified != to.state_modified) return false;
  to.revision = revision;
  to.last_modified = to.ahead.admitted;
  to.holders.clear();
  to.taken.clear();
  to.waiters.clear();
  to.more_waiters = false;
  to.predecessor.clear();
  to.ahead = {};
  return true;
}

namespace {

void hold(Snapshot& to, Snapshot::Holder holder) {
  const auto place = std::lower_bound(to.holders.begin(), to.holders.end(), holder.slot,
                                      [](const auto& each, std::uint32_t slot) { return each.slot < slot; });
  if (place != to.holders.end() && place->slot == holder.slot) {
    *place = std::move(holder);
  } else {
    to.holders.insert(place, std::move(holder));
  }
}

void drop_key(const Keys& keys, const Viewer& viewer, const std::string& key, Snapshot& to) {
  if (keys.is_held(key)) {
    std::erase_if(to.holders, [&](const auto& holder) { return holder.slot == Keys::slot_of(key); });
  } else if (keys.is_taking(key)) {
    to.taken.erase(Keys::slot_of(key));
  } else if (key == keys.state()) {
    to.state = {};
    to.state_modified = 0;
  } else if (key == keys.last()) {
    to.last = {};
    to.last_modified = 0;
  } else if (key == keys.finish()) {
    to.finish = {};
  } else if (key == keys.success()) {
    to.success = {};
  } else if (key == keys.cooling(viewer.request.elapsed_from)) {
    to.cooling_lease = 0;
  }
}

// `youngest`: of the waiters before us that were seen so far.
bool take_waiters(const Viewer& viewer, const PartReply& part, const std::string& own,
                  std::uint64_t& youngest, Snapshot& to) {
  std::size_t before = 0;
  for (const KeyValue& key : part.keys) {
    if (viewer.ticket != 0 && key.created == viewer.ticket && key.key == own) {
      to.ticket_is_there = key.lease == viewer.lease;
    }
    if (viewer.ticket != 0 && key.created >= viewer.ticket) continue;
    const std::optional<Record> record = parse_record(key.value);
    if (!record) {
      to.alien = key.key;
      return false;
    }
    ++before;
    if (viewer.ticket != 0 && key.created > youngest) {
      youngest = key.created;
      to.predecessor = key.key;
      to.ahead = ahead_of(key);
    }
    if (record->inside) continue;
    to.waiters.push_back({key.created, *record});
  }
  // Oldest first: what was not shown is younger than all that was.
  if (part.more && before == part.keys.size()) to.more_waiters = true;
  return true;
}

}  // namespace

bool take_key(const Keys& keys, const Viewer& viewer, const KeyValue& key, Snapshot& to) {
  const std::uint64_t boot = os::boot_hash();
  if (keys.is_held(key.key) || keys.is_taking(key.key)) {
    const std::uint32_t slot = Keys::slot_of(key.key);
    if (slot == 0) return false;
    if (keys.is_taking(key.key)) {
      to.taken[slot] = key.lease;
    } else {
      hold(to, {slot, key.created, key.lease, parse_record(key.value)});
    }
  } else if (key.key == keys.state()) {
    std::optional<State> state = parse_state(key.value);
    if (!state) return false;
    to.state = std::move(*state);
    to.state_modified = key.modified;
  } else if (key.key == keys.last()) {
    to.last_modified = key.modified;
    to.last = parse_moment(key.value, boot).value_or(Stamp{});
  } else if (key.key == keys.finish()) {
    to.finish = parse_moment(key.value, boot).value_or(Stamp{});
  } else if (key.key == keys.success()) {
    to.success = parse_moment(key.value, boot).value_or(Stamp{});
  } else if (key.key == keys.cooling(viewer.request.elapsed_from)) {
    to.cooling_lease = key.lease;
  }
  return true;
}

std::optional<bool> take_changes(const Keys& keys, const Viewer& viewer, const WatchReply& changes,
                                 Snapshot& to) {
  const std::uint64_t known = to.revision;
  for (const WatchReply::Event& event : changes.events) {
    if (event.key.modified <= known) continue;
    to.revision = std::max(to.revision, event.key.modified);
    if (event.erased) {
      drop_key(keys, viewer, event.key.key, to);
    } else if (event.key.created == 0 || !take_key(keys, viewer, event.key, to)) {
      return std::nullopt;
    }
  }
  return to.revision != known;
}

void ask_for_snapshot(const Keys& keys, const Viewer& viewer, Txn& txn) {
  const bool counts = viewer.last_chance || viewer.request.on_busy == OnBusy::join;
  const std::string queues[] = {keys.queue(viewer.lock), other_queue(keys, viewer.lock)};
  txn.range(keys.admission(), end_of_prefix(keys.admission()));
  for (const std::string& queue : queues) txn.oldest(queue, counts ? kSeenWaiters : kSeenInQueue);
  if (viewer.ticket == 0 || !viewer.deep) return;
  for (const std::string& queue : queues) txn.youngest_before(queue, viewer.ticket);
  txn.range(keys.waiter(viewer.lock, viewer.lease));
}

bool take_snapshot(const Keys& keys, const Viewer& viewer, const TxnReply& reply, std::size_t& part,
                   Snapshot& to) {
  to = {};
  to.revision = reply.header.revision;
  for (const KeyValue& key : reply.parts[part++].keys) {
    if (!take_key(keys, viewer, key, to)) {
      to.alien = key.key;
      return false;
    }
  }
  const std::string own = keys.waiter(viewer.lock, viewer.lease);
  std::uint64_t youngest = 0;
  for (int queue = 0; queue < 2; ++queue) {
    if (!take_waiters(viewer, reply.parts[part++], own, youngest, to)) return false;
  }
  if (viewer.ticket == 0 || !viewer.deep) {
    to.too_deep = viewer.ticket != 0 && to.more_waiters;
    return true;
  }
  for (int queue = 0; queue < 2; ++queue) {
    for (const KeyValue& key : reply.parts[part++].keys) {
      if (key.created <= youngest || key.created >= viewer.ticket) continue;
      youngest = key.created;
      to.predecessor = key.key;
      to.ahead = {};
    }
  }
  const PartReply& place = reply.parts[part++];
  to.ticket_is_there =
      place.keys.size() == 1 && place.keys[0].created == viewer.ticket && place.keys[0].lease == viewer.lease;
  return true;
}

bool is_closed(const Snapshot& seen, const Viewer& viewer, std::uint32_t slot) {
  const std::vector<std::uint32_t>& drained = seen.state.drained_slots;
  if (std::binary_search(drained.begin(), drained.end(), slot)) return true;
  const auto taker = seen.taken.find(slot);
  const bool newcomer = viewer.ticket == 0;
  // Without a lease nobody takes anything: such a key is somebody's by hand.
  return newcomer && taker != seen.taken.end() && (taker->second != viewer.lease || viewer.lease == 0);
}

std::vector<std::uint32_t> free_slots(const Snapshot& seen, const Viewer& viewer) {
  std::vector<std::uint32_t> free;
  auto holder = seen.holders.begin();
  for (std::uint32_t slot = 1; slot <= viewer.lock.max && free.size() < viewer.lock.take; ++slot) {
    while (holder != seen.holders.end() && holder->slot < slot) ++holder;
    const bool held = holder != seen.holders.end() && holder->slot == slot;
    if (!held && !is_closed(seen, viewer, slot)) free.push_back(slot);
  }
  return free;
}

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

namespace {

LastAdmission last_of(const Snapshot& seen, const Viewer& viewer, const Instant& now,
                      std::int64_t cooled_ns) {
  LastAdmission last;
  if (!seen.forgotten()) {
    last.start = seen.last;
    last.finish = seen.finish;
    last.success = seen.success;
  }
  if (now.given || viewer.request.if_elapsed.is_zero() || viewer.request.if_elapsed.is_forever()) return last;
  // No clock of a host says how long ago it was.
  const Stamp counted = {now.real_ns - cooled_ns, now.boot_ns - cooled_ns, true, cooled_ns >= 0};
  last.start = last.finish = last.success = counted;
  return last;
}

bool own_tree_blocks(const Snapshot& seen, const LockSpec& spec) {
  fleet::OwnTree ours;
  for (const Snapshot::Holder& one : seen.holders) {
    if (one.record)
      ours.see(one.record->host, one.record->boot, one.record->pid, one.record->mode == Mode::exclusive);
  }
  return ours.blocks(spec);
}

std::uint32_t drained_and_free(const Snapshot& seen, std::uint32_t max) {
  std::uint32_t count = 0;
  for (std::uint32_t slot : seen.state.drained_slots) {
    const auto held = [slot](const Snapshot::Holder& holder) { return holder.slot == slot; };
    count += slot <= max && std::none_of(seen.holders.begin(), seen.holders.end(), held) ? 1U : 0U;
  }
  return count;
}

}  // namespace

View view_of(const Snapshot& seen, const Viewer& viewer, const Instant& now, std::int64_t cooled_ns,
             std::vector<HolderView>& holders) {
  View view;
  view.token = seen.last_modified;
  view.last = last_of(seen, viewer, now, cooled_ns);
  view.drained = seen.state.drained;
  view.last_chance = viewer.last_chance;
  holders.clear();
  bool writer_inside = false;
  for (const Snapshot::Holder& holder : seen.holders) {
    holders.push_back(holder_view(holder));
    writer_inside = writer_inside || !holder.record || holder.record->mode == Mode::exclusive;
  }
  view.held = static_cast<std::uint32_t>(holders.size());
  view.holders = holders;
  for (const auto& [slot, lease] : seen.taken) {
    view.takeover_running = view.takeover_running || lease != viewer.lease;
  }
  std::uint64_t claimed = 0;
  bool writers = seen.more_waiters;
  for (const Snapshot::Waiter& waiter : seen.waiters) {
    writers = writers || waiter.record.mode == Mode::exclusive;
    view.joiner_waiting = view.joiner_waiting || waiter.record.joins;
    claimed += waiter.record.take;
  }
  view.waiters_ahead = static_cast<std::uint32_t>(seen.waiters.size());
  const LockSpec& lock = viewer.lock;
  if (lock.mode == Mode::exclusive) {
    view.room = view.held == 0;
  } else {
    // Free slots that are closed to us stay free for nobody.
    Viewer all = viewer;
    LockSpec wanted = lock;
    wanted.take = static_cast<std::uint32_t>(std::min<std::uint64_t>(lock.max, lock.take + claimed));
    const std::size_t free =
        free_slots(seen, {all.request, wanted, all.ticket, all.lease, all.last_chance, all.deep}).size();
    const std::uint64_t needed = lock.take + claimed;
    view.room = !writer_inside && free >= lock.take && view.held + lock.take <= lock.max;
    if (!writers && free >= needed && view.held + needed <= lock.max) view.waiters_ahead = 0;
  }
  if (view.room) return view;
  const std::uint32_t drained = lock.mode == Mode::exclusive ? 0 : drained_and_free(seen, lock.max);
  view.held += drained;
  view.some_drained = drained > 0;
  view.held_by_ancestor = viewer.request.nested && own_tree_blocks(seen, lock);
  return view;
}

}  // namespace atmost::etcd
