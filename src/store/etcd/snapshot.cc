#include "snapshot.h"

#include <algorithm>

#include "os/self.h"

namespace atmost::etcd {
namespace {

// The other prefix that waiters with a claim before ours lie under; empty: none.
std::string other_queue(const Keys& keys, const LockSpec& lock) {
  return lock.mode == Mode::exclusive ? keys.readers() : keys.writers();
}

// Whether the caller may be refused because of those that wait.
bool limits_queue(const CallerPlace& place) {
  return place.request.queue_max != kAnyQueue && place.ticket == 0;
}

// How many places are read: one of them may be that of the holder (Record::inside).
unsigned counted(const Request& request) {
  constexpr std::uint32_t kMost = 1024;
  return std::min(request.queue_max, kMost) + 2;
}

void count_queued(const PartReply& places, Snapshot& to) {
  std::uint64_t inside = 0;
  for (const KeyValue& key : places.keys) {
    const std::optional<Record> record = parse_record(key.value);
    inside += record && record->inside ? 1U : 0U;
  }
  to.queued = static_cast<std::uint32_t>(std::min<std::uint64_t>(places.count - inside, kAnyQueue));
}

}  // namespace

bool is_passed(const KeyValue& place) {
  const std::optional<Record> record = parse_record(place.value);
  return record && record->passed && !record->inside;
}

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
  const auto place =
      std::lower_bound(to.holders.begin(), to.holders.end(), holder.slot,
                       [](const auto& each, std::uint32_t slot) { return each.slot < slot; });
  if (place != to.holders.end() && place->slot == holder.slot) {
    *place = std::move(holder);
  } else {
    to.holders.insert(place, std::move(holder));
  }
}

void drop_key(const Keys& keys, const CallerPlace& place, const std::string& key, Snapshot& to) {
  if (keys.is_held(key)) {
    std::erase_if(to.holders,
                  [&](const auto& holder) { return holder.slot == Keys::slot_of(key); });
  } else if (keys.is_taking(key)) {
    to.taken.erase(Keys::slot_of(key));
  } else if (key == keys.state()) {
    to.state = {};
    to.state_modified = 0;
  } else if (key == keys.last()) {
    to.last = {};
    to.last_place = 0;
    to.last_modified = 0;
  } else if (key == keys.rate()) {
    to.ring.reset();
    to.ring_modified = 0;
  } else if (key == keys.newest()) {
    to.superseding = 0;
  } else if (key == keys.finish()) {
    to.finish = {};
  } else if (key == keys.success()) {
    to.success = {};
  } else if (key == keys.ever(place.request.elapsed_from)) {
    to.ever = {};
  } else if (key == keys.cooling(place.request.elapsed_from)) {
    to.cooling_modified = 0;
    to.cooling_lease = 0;
    to.cooled.reset();
  }
}

// `youngest`: the youngest of the waiters before us that were seen so far.
bool take_waiters(const CallerPlace& place, const PartReply& part, const std::string& own,
                  std::uint64_t& youngest, Snapshot& to) {
  std::size_t before = 0;
  for (const KeyValue& key : part.keys) {
    if (place.ticket != 0 && key.created == place.ticket && key.key == own) {
      to.ticket_is_there = key.lease == place.lease;
    }
    const bool ours = key.created == place.ticket && key.key == own;
    if (place.ticket != 0 && key.created >= place.ticket && !ours) continue;
    const std::optional<Record> record = parse_record(key.value);
    if (place.ticket != 0 && ours) {
      to.own_passed = record && record->passed;
      continue;
    }
    if (!record) {
      to.alien = key.key;
      return false;
    }
    ++before;
    if (record->passed && !record->inside) continue;
    if (place.ticket != 0 && key.created > youngest) {
      youngest = key.created;
      to.predecessor = key.key;
      to.ahead = ahead_of(key);
    }
    if (record->inside) continue;
    to.waiters.push_back({key.created, *record, key.key, key.lease});
  }
  // Oldest first: what was not shown is younger than all that was.
  if (part.more && before == part.keys.size()) to.more_waiters = true;
  return true;
}

}  // namespace

bool take_key(const Keys& keys, const CallerPlace& place, const KeyValue& key, Snapshot& to) {
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
    to.last_place = place_of_moment(key.value);
  } else if (key.key == keys.rate()) {
    to.ring = parse_ring(key.value);
    if (!to.ring) return false;
    to.ring_modified = key.modified;
  } else if (key.key == keys.newest()) {
    to.superseding = key.modified;
  } else if (key.key == keys.finish()) {
    to.finish = parse_moment(key.value, boot).value_or(Stamp{});
  } else if (key.key == keys.success()) {
    to.success = parse_moment(key.value, boot).value_or(Stamp{});
  } else if (key.key == keys.ever(place.request.elapsed_from)) {
    to.ever = parse_moment(key.value, boot).value_or(Stamp{});
    to.ever.known = true;  // only its existence counts
  } else if (key.key == keys.cooling(place.request.elapsed_from)) {
    to.cooling_modified = key.modified;
    to.cooling_lease = key.lease;
    to.cooled = parse_cooled(key.value);
  }
  return true;
}

std::optional<bool> take_changes(const Keys& keys, const CallerPlace& place,
                                 const WatchReply& changes, Snapshot& to) {
  const std::uint64_t known = to.revision;
  for (const WatchReply::Event& event : changes.events) {
    if (event.key.modified <= known) continue;
    to.revision = std::max(to.revision, event.key.modified);
    if (event.erased) {
      drop_key(keys, place, event.key.key, to);
    } else if (event.key.created == 0 || !take_key(keys, place, event.key, to)) {
      return std::nullopt;
    }
  }
  return to.revision != known;
}

void ask_for_snapshot(const Keys& keys, const CallerPlace& place, Txn& txn) {
  const bool counts = place.last_chance || place.request.on_busy == OnBusy::join;
  const std::string queues[] = {keys.queue(place.lock), other_queue(keys, place.lock)};
  txn.range(keys.admission(), end_of_prefix(keys.admission()));
  for (const std::string& queue : queues) txn.oldest(queue, counts ? kSeenWaiters : kSeenInQueue);
  if (limits_queue(place)) txn.oldest(keys.waiters(), counted(place.request));
  if (place.ticket == 0 || !place.deep) return;
  for (const std::string& queue : queues) txn.youngest_before(queue, place.ticket);
  txn.range(keys.waiter(place.lock, place.lease));
}

bool take_snapshot(const Keys& keys, const CallerPlace& place, const TxnReply& reply,
                   std::size_t& part, Snapshot& to) {
  to = {};
  to.revision = reply.header.revision;
  for (const KeyValue& key : reply.parts[part++].keys) {
    if (!take_key(keys, place, key, to)) {
      to.alien = key.key;
      return false;
    }
  }
  const std::string own = keys.waiter(place.lock, place.lease);
  std::uint64_t youngest = 0;
  for (int queue = 0; queue < 2; ++queue) {
    if (!take_waiters(place, reply.parts[part++], own, youngest, to)) return false;
  }
  if (limits_queue(place)) count_queued(reply.parts[part++], to);
  if (place.ticket == 0 || !place.deep) {
    to.too_deep = place.ticket != 0 && to.more_waiters;
    return true;
  }
  for (int queue = 0; queue < 2; ++queue) {
    for (const KeyValue& key : reply.parts[part++].keys) {
      if (key.created <= youngest || key.created >= place.ticket) continue;
      youngest = key.created;
      to.predecessor = key.key;
      to.ahead = {};
    }
  }
  const PartReply& answer = reply.parts[part++];
  to.ticket_is_there = answer.keys.size() == 1 && answer.keys[0].created == place.ticket &&
                       answer.keys[0].lease == place.lease;
  return true;
}

}  // namespace atmost::etcd
