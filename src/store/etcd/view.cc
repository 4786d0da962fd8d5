#include "view.h"

#include <algorithm>

#include "os/self.h"
#include "store/fleet/nesting.h"

namespace atmost::etcd {

bool is_closed(const Snapshot& seen, const CallerPlace& place, std::uint32_t slot) {
  const std::vector<std::uint32_t>& drained = seen.state.drained_slots;
  if (std::binary_search(drained.begin(), drained.end(), slot)) return true;
  const auto taker = seen.taken.find(slot);
  const bool newcomer = place.ticket == 0;
  // A taker writes it under a lease: a key without one was written by hand.
  return newcomer && taker != seen.taken.end() &&
         (taker->second != place.lease || place.lease == 0);
}

std::vector<std::uint32_t> free_slots(const Snapshot& seen, const CallerPlace& place) {
  std::vector<std::uint32_t> free;
  auto holder = seen.holders.begin();
  for (std::uint32_t slot = 1; slot <= place.lock.max && free.size() < place.lock.take; ++slot) {
    while (holder != seen.holders.end() && holder->slot < slot) ++holder;
    const bool held = holder != seen.holders.end() && holder->slot == slot;
    if (!held && !is_closed(seen, place, slot)) free.push_back(slot);
  }
  return free;
}

namespace {

// Whether a waiter could take what it waits for.
bool fits(const Snapshot& seen, const CallerPlace& place, const Record& waiter) {
  if (waiter.mode == Mode::exclusive) return seen.holders.empty();
  const auto writes = [](const auto& one) {
    return !one.record || one.record->mode == Mode::exclusive;
  };
  if (std::any_of(seen.holders.begin(), seen.holders.end(), writes)) return false;
  LockSpec lock = place.lock;
  lock.max = waiter.max;
  lock.take = waiter.take;
  const CallerPlace its = {place.request,     lock,      place.ticket, place.lease,
                           place.last_chance, place.deep};
  return seen.holders.size() + lock.take <= lock.max && free_slots(seen, its).size() == lock.take;
}

}  // namespace

bool is_owed(const Snapshot& seen, const CallerPlace& place) {
  return !seen.more_waiters && !seen.state.drained &&
         std::any_of(seen.waiters.begin(), seen.waiters.end(), [&](const auto& each) {
           return !each.early && fits(seen, place, each.record);
         });
}

void overtake(const CallerPlace& place, Snapshot& seen) {
  const auto idle = std::stable_partition(
      seen.waiters.begin(), seen.waiters.end(),
      [&](const auto& each) { return each.early || !fits(seen, place, each.record); });
  seen.passed.assign(idle, seen.waiters.end());
  seen.waiters.erase(idle, seen.waiters.end());
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

LastAdmission last_of(const Snapshot& seen, const CallerPlace& place, const Instant& now,
                      std::int64_t cooled_ns) {
  LastAdmission last;
  if (!seen.forgotten()) {
    last.start = seen.last;
    last.finish = seen.finish;
    last.success = seen.success;
  }
  if (place.request.if_elapsed.is_forever() && seen.ever.known)
    last.start = last.finish = last.success = seen.ever;
  if (now.given || place.request.if_elapsed.is_zero() || place.request.if_elapsed.is_forever())
    return last;
  // cooled_ns says how long ago it was; no host's clock does.
  const Stamp counted = {now.real_ns - cooled_ns, now.boot_ns - cooled_ns, true, cooled_ns >= 0};
  last.start = last.finish = last.success = counted;
  return last;
}

bool own_tree_blocks(const Snapshot& seen, const LockSpec& spec) {
  fleet::OwnTree ours;
  for (const Snapshot::Holder& one : seen.holders) {
    if (one.record)
      ours.see(one.record->host, one.record->boot, one.record->pid,
               one.record->mode == Mode::exclusive);
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

View view_of(const Snapshot& seen, const CallerPlace& place, const Instant& now,
             std::int64_t cooled_ns, std::vector<HolderView>& holders) {
  View view;
  view.token = seen.last_modified;
  view.last = last_of(seen, place, now, cooled_ns);
  view.drained = seen.state.drained;
  view.last_chance = place.last_chance;
  view.queued = seen.queued;
  view.superseded = place.ticket != 0 && place.request.on_busy == OnBusy::supersede &&
                    seen.superseding > place.ticket;
  holders.clear();
  bool writer_inside = false;
  for (const Snapshot::Holder& holder : seen.holders) {
    holders.push_back(holder_view(holder));
    writer_inside = writer_inside || !holder.record || holder.record->mode == Mode::exclusive;
  }
  view.held = static_cast<std::uint32_t>(holders.size());
  view.writer_inside = writer_inside;
  view.holders = holders;
  for (const auto& [slot, lease] : seen.taken) {
    view.takeover_running = view.takeover_running || lease != place.lease;
  }
  std::uint64_t claimed = 0;
  bool first = seen.more_waiters;  // a waiter before us goes first, whatever is free
  for (const Snapshot::Waiter& waiter : seen.waiters) {
    view.joiner_waiting = view.joiner_waiting || waiter.record.joins;
    if (waiter.early) continue;
    // A due waiter uses up the rate of a caller that has one.
    const bool uses_rate = place.request.rate.count > 0 && waiter.record.rate.count > 0;
    first = first || uses_rate || waiter.record.mode == Mode::exclusive;
    claimed += waiter.record.take;
    ++view.waiters_ahead;
  }
  const LockSpec& lock = place.lock;
  if (lock.mode == Mode::exclusive) {
    view.has_room = view.held == 0;
  } else {
    // Slots that are closed to us do not count as free for the waiters before us either.
    CallerPlace all = place;
    LockSpec wanted = lock;
    wanted.take =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(lock.max, lock.take + claimed));
    const std::size_t free =
        free_slots(seen, {all.request, wanted, all.ticket, all.lease, all.last_chance, all.deep})
            .size();
    const std::uint64_t needed = lock.take + claimed;
    view.has_room = !writer_inside && free >= lock.take && view.held + lock.take <= lock.max;
    if (!first && free >= needed && view.held + needed <= lock.max) view.waiters_ahead = 0;
  }
  if (view.has_room) return view;
  const std::uint32_t drained = lock.mode == Mode::exclusive ? 0 : drained_and_free(seen, lock.max);
  view.held += drained;
  view.some_drained = drained > 0;
  view.held_by_ancestor = place.request.nested && own_tree_blocks(seen, lock);
  return view;
}

}  // namespace atmost::etcd
