#include "facts.h"

#include <algorithm>

#include "statements.h"

namespace atmost::postgres {
namespace {

constexpr std::int64_t kMost = INT64_MAX;
// A day for each timeline: the servers' clocks differ by less.
constexpr char kFloor[] = " * 86400000000";

// 146 years. Moments that are further away count as so far.
constexpr Micros kFar = kLastMicros / 2;

std::int64_t ns_since(Micros at, Micros server) {
  return (server - std::clamp(at, server - kFar, server + kFar)) * 1000;
}

Value moment(const Stamp& stamp, const Clocks& clocks) {
  return stamp.known ? number(clocks.micros(stamp)) : Value{};
}

}  // namespace

Stamp Clocks::stamp(std::optional<Micros> at) const {
  if (!at) return {};
  const std::int64_t real_ns = std::clamp(*at, -kLastMicros, kLastMicros) * 1000;
  if (now.given) return {real_ns, 0, false, true};
  return {real_ns, now.boot_ns - ns_since(*at, server), true, true};
}

std::int64_t Clocks::boot_ns(std::optional<Micros> at) const {
  return at ? std::max<std::int64_t>(1, turns_boot_ns - ns_since(*at, server)) : 0;
}

Micros Clocks::micros(const Stamp& stamp) const {
  return stamp.same_boot ? server + (stamp.boot_ns - now.boot_ns) / 1000 : stamp.real_ns / 1000;
}

std::string holder_columns() {
  return or_none("slot") + ", holder.token, " + micros("(expires - clock_timestamp())") + ", " +
         micros("since") + ", exclusive, " + or_none("expire_after") +
         ", host, boot, pid, uid, id, command";
}

Holder read_holder(const Rows& rows, int row, int column, const Clocks& clocks) {
  Holder one;
  HolderView& view = one.view;
  view.slot = static_cast<std::uint32_t>(rows.integer(row, column, 1, kMaxSlots));
  view.token = view.hold = static_cast<std::uint64_t>(rows.integer(row, column + 1, 1, kMost));
  one.left_us = rows.integer(row, column + 2);
  one.expired = one.left_us <= 0;
  view.start = clocks.stamp(rows.integer(row, column + 3));
  one.exclusive = rows.boolean(row, column + 4);
  if (const auto due = rows.maybe_integer(row, column + 5)) {
    if (*due < 0) throw malformed_error("a negative time");
    view.expire_after = micros_span(*due);
  }
  view.host = Text<63>(rows.text(row, column + 6));
  one.boot = rows.integer(row, column + 7);
  view.pid = rows.integer(row, column + 8, 0, kMost);
  view.uid = static_cast<std::uint32_t>(rows.integer(row, column + 9, 0, UINT32_MAX));
  view.id = Text<63>(rows.bytes(row, column + 10));
  view.command = Text<63>(rows.bytes(row, column + 11));
  view.kind = HolderKind::supervised;
  view.has_record = true;
  view.verified = !one.expired;
  return one;
}

// A caller of format 3 that connected before the tables were brought up does not count `recorded`.
Statement read_row(const std::string& key, std::uint32_t rate, const std::string& clock) {
  return {"SELECT " + micros(clock) + ", token, drained, drained_slots, " +
              or_none(micros("last_start")) + ", " + or_none(micros("last_finish")) + ", " +
              or_none(micros("last_success")) +
              ", superseding, refusals, failures, greatest(recorded, "
              "cardinality(admissions)), " +
              or_none(micros("admissions[cardinality(admissions) + 1 - $2::integer]")) + ", " +
              micros("clock_timestamp()") + " + " + known_timeline() + kFloor + ", " + unwaited() +
              " FROM atmost.lock WHERE name = $1 FOR UPDATE",
          {key, number(rate)},
          14};
}

Micros clock_of(const Rows& row) {
  row.expect(1);
  return row.integer(0, 0, 1, kLastMicros);
}

rule::State state_of(const Rows& row, const Clocks& clocks) {
  rule::State state;
  state.token = static_cast<std::uint64_t>(row.integer(0, 1, 0, kMost));
  state.drained = row.boolean(0, 2);
  state.last = {clocks.stamp(row.maybe_integer(0, 4)), clocks.stamp(row.maybe_integer(0, 5)),
                clocks.stamp(row.maybe_integer(0, 6))};
  state.superseding = static_cast<std::uint64_t>(row.integer(0, 7, 0, kMost));
  state.refusals = static_cast<std::uint32_t>(row.integer(0, 8, 0, UINT32_MAX));
  state.failures = static_cast<std::uint32_t>(row.integer(0, 9, 0, UINT32_MAX));
  state.recorded = static_cast<std::uint64_t>(row.integer(0, 10, 0, kMost));
  state.token_floor = static_cast<std::uint64_t>(row.integer(0, 12, 0, kMost));
  return state;
}

std::vector<std::uint32_t> drained_of(const Rows& row) { return row.slots(0, 3); }

// Of the ring, `recorded` counts all stamps ever, and the list has the last ones: one more than the
// largest rate needs, as the last one may be taken back.
Statement write_row(const std::string& key, const rule::State& before, const rule::LockPlan& plan,
                    const Clocks& clocks, const std::string& clock) {
  const rule::State& state = plan.state;
  std::vector<Value> values = {key,
                               number(state.token),
                               truth(state.drained),
                               number(state.refusals),
                               number(state.failures),
                               moment(state.last.start, clocks),
                               moment(state.last.finish, clocks),
                               moment(state.last.success, clocks),
                               number(state.recorded)};
  std::string ring = "admissions";
  if (plan.mends) {
    ring = "ARRAY(SELECT least(at, " + clock +
           ") FROM unnest(admissions) WITH ORDINALITY AS each (at, nth) ORDER BY nth)";
  } else if (const std::uint64_t kept = state.recorded - plan.appended_count;
             kept != before.recorded || plan.appended_count > 0) {
    values.push_back(number(before.recorded - kept));
    ring = "coalesce(admissions[greatest(1, cardinality(admissions) - " +
           std::to_string(kMaxRate - 1) +
           ") : cardinality(admissions) - $10::bigint::integer], '{}')";
    for (std::uint32_t i = 0; i < plan.appended_count; ++i) {
      values.push_back(moment(plan.appended[i], clocks));
      ring += " || " + moment_of(11 + static_cast<int>(i));
    }
  }
  return {
      "UPDATE atmost.lock SET token = $2, drained = $3, refusals = $4, failures = $5, last_start "
      "= " +
          moment_of(6) + ", last_finish = " + moment_of(7) + ", last_success = " + moment_of(8) +
          ", recorded = $9, admissions = " + ring + " WHERE name = $1",
      std::move(values), 0, "UPDATE 1"};
}

}  // namespace atmost::postgres
