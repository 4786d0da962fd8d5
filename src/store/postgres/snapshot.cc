#include "snapshot.h"

#include <algorithm>

#include "attempt.h"
#include "statements.h"
#include "store/fleet/nesting.h"

namespace atmost::postgres {
namespace {

constexpr std::int64_t kMost = INT64_MAX;
constexpr std::int64_t kMostWaiters = INT32_MAX;

void read_holders(const Rows& rows, std::vector<Holder>& to) {
  for (int row = 0; row < rows.count(); ++row) {
    Holder one;
    one.slot = static_cast<std::uint32_t>(rows.integer(row, 0, 1, kMaxSlots));
    one.token = static_cast<std::uint64_t>(rows.integer(row, 1, 1, kMost));
    one.left_us = rows.integer(row, 2);
    one.expired = one.left_us <= 0;
    one.since = rows.integer(row, 3);
    one.exclusive = rows.boolean(row, 4);
    one.expire_after_us = rows.maybe_integer(row, 5);
    one.host = rows.text(row, 6);
    one.boot = rows.integer(row, 7);
    one.pid = rows.integer(row, 8, 0, kMost);
    one.uid = static_cast<std::uint32_t>(rows.integer(row, 9, 0, UINT32_MAX));
    one.id = rows.bytes(row, 10);
    one.command = rows.bytes(row, 11);
    if (!to.empty() && to.back().slot >= one.slot) {
      throw DatabaseError{DatabaseError::Kind::malformed,
                          "an answer that cannot be: one slot twice",
                          {},
                          Code::unavailable};
    }
    to.push_back(std::move(one));
  }
}

bool contains(const std::vector<std::uint32_t>& all, std::uint32_t one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool own_tree_blocks(const Snapshot& snapshot, const LockSpec& spec) {
  fleet::OwnTree ours;
  for (const Holder& one : snapshot.holders) {
    if (!one.expired)
      ours.see(one.host, static_cast<std::uint64_t>(one.boot), one.pid, one.exclusive);
  }
  return ours.blocks(spec);
}

}  // namespace

void add_look(std::vector<Statement>& to, const SnapshotOf& of) {
  to.push_back(
      {"INSERT INTO atmost.lock (name) VALUES ($1) ON CONFLICT DO NOTHING", {of.key}, "INSERT", 0});
  to.push_back({"SELECT token, drained, drained_slots, " + or_none(micros("last_start")) + ", " +
                    or_none(micros("last_finish")) + ", " + or_none(micros("last_success")) +
                    ", superseding, " + or_none(micros(first_of_last(2))) +
                    " FROM atmost.lock WHERE name = $1 FOR UPDATE",
                {of.key, number(of.rate)},
                "SELECT",
                8});
  to.push_back({"SELECT slot, token, " + micros("(expires - clock_timestamp())") + ", " +
                    micros("since") + ", exclusive, " + or_none("expire_after") +
                    ", host, boot, pid, uid, id, command FROM atmost.holder "
                    "WHERE lock = $1 ORDER BY slot",
                {of.key},
                "SELECT",
                12});
  // Always one row, so that a missing row is never taken for an empty result.
  const LockSpec& spec = *of.spec;
  to.push_back(
      {"SELECT " + micros(of.clock) +
           ", pg_backend_pid(), (SELECT count(*) FROM atmost.holder WHERE lock = $1), "
           "ARRAY(SELECT slot FROM atmost.takeover WHERE lock = $1 AND owner <> $2 AND expires > "
           "clock_timestamp()), " +
           or_none("(SELECT " + micros("(expires - clock_timestamp())") +
                   " FROM atmost.waiter WHERE lock = $1 AND ticket = $3 AND owner = $2)") +
           ", waiters, ahead, owed, writer, joiner, rated, " + or_none("pause") +
           ", none, longest, " + unwaited() +
           " FROM (SELECT count(*) AS waiters, count(*) FILTER (WHERE better) AS ahead, "
           "coalesce(sum(take) FILTER (WHERE better), 0) AS owed, coalesce(bool_or(mode = 2) "
           "FILTER (WHERE better), false) AS writer, coalesce(bool_or(joins), false) AS joiner, "
           "coalesce(bool_or(due IS NOT NULL) FILTER (WHERE better), false) AS rated FROM "
           "(SELECT take, mode, joins, due, ($3 = 0 OR ticket < $3) AND " +
           is_due(of.clock) +
           " AND "
           "(mode = 2 OR CASE WHEN $4 THEN mode = 0 AND max = $5 ELSE mode <> 0 END) AS better "
           "FROM atmost.waiter WHERE lock = $1 AND NOT (ticket = $3 AND owner = $2) AND " +
           waiter_lives() + ") others) queue, " + era_sums() + " eras",
       {of.key, of.client->owner, std::to_string(of.ticket), spec.mode == Mode::plain ? "t" : "f",
        std::to_string(spec.max)},
       "SELECT",
       15});
}

Snapshot read_look(std::span<const Rows> answers, std::int64_t backend) {
  const Rows& lock = answers[1];
  const Rows& sums = answers[3];
  lock.expect(1);
  sums.expect(1);
  Snapshot snapshot;
  snapshot.token = static_cast<std::uint64_t>(lock.integer(0, 0, 0, kMost));
  snapshot.drained = lock.boolean(0, 1);
  snapshot.drained_slots = lock.slots(0, 2);
  snapshot.start = lock.maybe_integer(0, 3);
  snapshot.finish = lock.maybe_integer(0, 4);
  snapshot.success = lock.maybe_integer(0, 5);
  snapshot.superseding = static_cast<std::uint64_t>(lock.integer(0, 6, 0, kMost));
  snapshot.first_in_rate = lock.maybe_integer(0, 7);
  snapshot.clock = sums.integer(0, 0, 1);
  if (sums.integer(0, 1) != backend) {
    throw DatabaseError{
        DatabaseError::Kind::setup,
        "a proxy gave this session another server process: it pools transactions (pgbouncer with "
        "pool_mode=transaction?); connect to the server itself, or through pool_mode=session",
        {},
        Code::unavailable};
  }
  read_holders(answers[2], snapshot.holders);
  if (sums.integer(0, 2) != static_cast<std::int64_t>(snapshot.holders.size())) {
    throw DatabaseError{DatabaseError::Kind::malformed,
                        "an answer that cannot be: holders are missing",
                        {},
                        Code::unavailable};
  }
  for (const Holder& one : snapshot.holders) {
    if (one.token <= snapshot.token) continue;
    throw DatabaseError{DatabaseError::Kind::malformed,
                        "an answer that cannot be: a token from the future",
                        {},
                        Code::unavailable};
  }
  snapshot.claimed_slots = sums.slots(0, 3);
  snapshot.place_left_us = sums.maybe_integer(0, 4);
  snapshot.waiters = static_cast<std::uint32_t>(sums.integer(0, 5, 0, kMostWaiters));
  snapshot.waiters_ahead = static_cast<std::uint32_t>(sums.integer(0, 6, 0, snapshot.waiters));
  snapshot.owed = sums.integer(0, 7, snapshot.waiters_ahead, kMost);
  snapshot.writer_ahead = sums.boolean(0, 8);
  snapshot.joiner = sums.boolean(0, 9);
  snapshot.rated_ahead = sums.boolean(0, 10);
  snapshot.pause_us = sums.maybe_integer(0, 11);
  snapshot.first_era = sums.boolean(0, 12);
  snapshot.longest_us = sums.integer(0, 13, 0);
  return snapshot;
}

Stamp stamp_of(Micros at, Micros clock, const Instant& now) {
  Stamp stamp;
  stamp.known = true;
  stamp.real_ns = at * 1000;
  if (now.given) return stamp;
  stamp.same_boot = true;
  stamp.boot_ns = now.boot_ns - (clock - at) * 1000;
  return stamp;
}

LastAdmission last_admission(const Snapshot& snapshot, const Instant& now) {
  LastAdmission last;
  if (snapshot.start) last.start = stamp_of(*snapshot.start, snapshot.clock, now);
  if (snapshot.finish) last.finish = stamp_of(*snapshot.finish, snapshot.clock, now);
  if (snapshot.success) last.success = stamp_of(*snapshot.success, snapshot.clock, now);
  return last;
}

HolderView holder_view(const Holder& holder, Micros clock, const Instant& now) {
  HolderView view;
  view.slot = holder.slot;
  view.kind = HolderKind::supervised;
  view.has_record = true;
  view.verified = !holder.expired;
  view.pid = holder.pid;
  view.uid = holder.uid;
  view.host = Text<63>(holder.host);
  view.token = view.hold = holder.token;
  view.start = stamp_of(holder.since, clock, now);
  if (holder.expire_after_us) view.expire_after = {*holder.expire_after_us * 1000};
  view.id = Text<63>(holder.id);
  view.command = Text<63>(holder.command);
  return view;
}

void build_view(const Snapshot& snapshot, const Request& request, const LockSpec& spec,
                const Instant& now, const Asker& caller, LockView& to) {
  to = {};
  std::vector<std::uint32_t> held;
  bool exclusive = false;
  for (const Holder& one : snapshot.holders) {
    if (one.expired) continue;
    held.push_back(one.slot);
    exclusive = exclusive || one.exclusive;
    to.holders.push_back(holder_view(one, snapshot.clock, now));
  }
  // Counts free slots that are open to us, up to what we and the waiters ahead want.
  std::uint64_t free = 0;
  const std::uint64_t wanted = spec.take + static_cast<std::uint64_t>(snapshot.owed);
  for (std::uint32_t slot = 1; slot <= spec.max && free < wanted; ++slot) {
    const bool closed = std::binary_search(held.begin(), held.end(), slot) ||
                        contains(snapshot.drained_slots, slot) ||
                        (caller.ticket == 0 && contains(snapshot.claimed_slots, slot));
    if (closed) continue;
    if (++free <= spec.take) to.slots.push_back(slot);
  }
  View& view = to.view;
  view.token = snapshot.token;
  view.last = last_admission(snapshot, now);
  if (request.rate.count > 0 && snapshot.first_in_rate)
    view.first_in_rate = stamp_of(*snapshot.first_in_rate, snapshot.clock, now);
  if (caller.ticket == 0) {
    view.queued = snapshot.waiters;
  } else {
    view.superseded = request.on_busy == OnBusy::supersede && snapshot.superseding > caller.ticket;
  }
  view.drained = snapshot.drained;
  view.last_chance = caller.last_chance;
  view.held = static_cast<std::uint32_t>(held.size());
  view.writer_inside = exclusive;
  for (const std::uint32_t slot : snapshot.drained_slots) {
    if (spec.mode == Mode::exclusive || slot > spec.max) continue;
    view.some_drained = true;
    if (!std::binary_search(held.begin(), held.end(), slot)) ++view.held;
  }
  view.holders = to.holders;
  view.waiters_ahead = snapshot.waiters_ahead;
  view.joiner_waiting = snapshot.joiner;
  view.takeover_running = !snapshot.claimed_slots.empty();
  if (spec.mode == Mode::exclusive) {
    view.has_room = held.empty() && free >= spec.take;
  } else {
    view.has_room = !exclusive && free >= spec.take && held.size() + spec.take <= spec.max;
    // Even if we go first, enough slots are left for the waiters ahead.
    const bool uses_rate = request.rate.count > 0 && snapshot.rated_ahead;
    if (view.has_room && !snapshot.writer_ahead && !uses_rate && free >= wanted &&
        held.size() + wanted <= spec.max)
      view.waiters_ahead = 0;
  }
  view.held_by_ancestor = !view.has_room && request.nested && own_tree_blocks(snapshot, spec);
}

Result<std::string> key_of(const LockSpec& lock) {
  std::string_view path = lock.path;
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  const bool printable =
      std::all_of(path.begin(), path.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (path.empty() || !printable) {
    return error_of(Code::usage, 0,
                    "the key of a lock in PostgreSQL is printable ASCII, without blanks");
  }
  return std::string(path);
}

}  // namespace atmost::postgres
