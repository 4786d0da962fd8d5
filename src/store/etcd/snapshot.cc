#include "snapshot.h"

#include <algorithm>
#include <utility>

#include "os/self.h"

namespace atmost::etcd {
namespace {

// Whether the caller may be refused because of those that wait.
bool limits_queue(const CallerPlace& place) {
  return place.request.queue_max != kAnyQueue && place.ticket == 0 && !place.draws;
}

// A plain caller counts as a reader for writers.
std::vector<Snapshot::Line> lines_of(const Keys& keys, const LockSpec& lock) {
  std::vector<Snapshot::Line> lines;
  if (lock.mode == Mode::plain) lines.push_back({keys.queue(lock), rule::queue_of(lock), false, 0});
  for (const std::string& prefix : {keys.writers(), keys.readers()})
    lines.push_back({prefix, rule::kModeQueue, false, 0});
  return lines;
}

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

// Waiters behind ours cannot have a claim before it.
bool take_waiters(const CallerPlace& place, const PartReply& part, Snapshot::Line& line,
                  Snapshot& to) {
  for (const KeyValue& key : part.keys) {
    line.read_to = std::max(line.read_to, key.created);
    const bool behind = place.ticket != 0 && key.created > place.ticket;
    std::optional<Record> record = behind ? std::nullopt : parse_record(key.value);
    if (record) {
      to.waiters.push_back({key.created, key.lease, key.key, std::move(*record), line.queue});
    } else if (!behind) {
      to.alien = key.key;
      return false;
    }
  }
  line.more = part.more && (place.ticket == 0 || line.read_to < place.ticket);
  return true;
}

void sort_waiters(Snapshot& to) {
  std::sort(to.waiters.begin(), to.waiters.end(),
            [](const auto& one, const auto& other) { return one.ticket < other.ticket; });
}

// Our place, if it lies behind all that was read of its line.
bool take_own(const CallerPlace& place, const PartReply& part, Snapshot& to) {
  to.place_is_there = part.keys.size() == 1 && part.keys[0].created == place.ticket &&
                      part.keys[0].lease == place.lease;
  const bool read = std::any_of(to.waiters.begin(), to.waiters.end(), [&](const auto& each) {
    return each.ticket == place.ticket && each.lease == place.lease;
  });
  if (!to.place_is_there || read) return true;
  Snapshot::Line own{{}, rule::queue_of(place.lock), false, 0};
  return take_waiters(place, part, own, to);
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
  for (const Snapshot::Line& each : lines_of(keys, place.lock)) txn.oldest(each.prefix, 0, kPage);
  if (limits_queue(place)) txn.first_key(keys.waiters(), end_of_prefix(keys.waiters()));
  if (place.ticket == 0 && !place.draws) return;
  // The place that is being drawn is the youngest of all.
  const std::string own = keys.queue(place.lock);
  txn.youngest(own, place.draws ? 0 : place.ticket, kNear + 2);
  txn.range(keys.waiter(place.lock, place.lease));
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
  to.lines = lines_of(keys, place.lock);
  for (Snapshot::Line& line : to.lines) {
    if (!take_waiters(place, reply.parts[part++], line, to)) return false;
  }
  if (limits_queue(asked)) to.queued = reply.parts[part++].count;
  if (place.ticket != 0) {
    const PartReply& youngest = reply.parts[part++];
    to.in_queue = youngest.count;
    for (const KeyValue& key : youngest.keys) {
      if (key.created < place.ticket && to.before.size() <= kNear) to.before.push_back(key.key);
    }
    if (!take_own(place, reply.parts[part++], to)) return false;
  }
  sort_waiters(to);
  return true;
}

void ask_for_page(const Snapshot::Line& line, Txn& txn) {
  txn.oldest(line.prefix, line.read_to + 1, kPage);
}

bool take_page(const PartReply& part, Snapshot::Line& line, Snapshot& to) {
  Request nothing;
  const CallerPlace newcomer = {nothing, nothing.locks[0]};
  if (!take_waiters(newcomer, part, line, to)) return false;
  line.more = part.keys.size() == kPage;
  sort_waiters(to);
  return true;
}

}  // namespace atmost::etcd
