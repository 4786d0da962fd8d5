#include "statements.h"

#include <algorithm>

#include "os/self.h"
#include "schema.h"

namespace atmost::postgres {
namespace {

// A place is kept for this time after its owner last refreshed it.
constexpr char kKept[] = "interval '30 seconds'";

}  // namespace

std::string micros(const std::string& expression) {
  return "(extract(epoch FROM " + expression + ") * 1000000)::bigint";
}

std::string interval_of(int parameter) {
  return "($" + std::to_string(parameter) + "::bigint * interval '1 microsecond')";
}

std::string moment_of(int parameter) {
  return "('epoch'::timestamptz + " + interval_of(parameter) + ")";
}

std::string timeline() {
  return "('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint";
}

std::string known_timeline() { return "current_setting('atmost.timeline')::bigint"; }

void add_caller(std::vector<Value>& to, const Request& request, const ClientId& client) {
  const Text<255> host = os::host_name();
  to.push_back(client.owner);
  to.push_back(std::string(host.view()));
  to.push_back(number(static_cast<std::int64_t>(os::boot_hash())));
  to.push_back(number(os::process_id()));
  to.push_back(number(os::user_id()));
  to.push_back(hex_of(request.id));
  to.push_back(hex_of(request.command));
}

Statement take_row(const std::string& key) {
  return {"SELECT 1 FROM atmost.lock WHERE name = $1 FOR UPDATE", {key}, 1};
}

std::string unwaited() { return "set_config('synchronous_commit', 'off', true)"; }

// A transaction of its own that writes: its end waits for the log of all before it.
Statement on_disk() { return {"SELECT pg_logical_emit_message(true, 'atmost', '')", {}, 1}; }

std::string waiter_lives() {
  return "expires > clock_timestamp() AND NOT pg_try_advisory_xact_lock_shared(" +
         std::to_string(kAdvisoryClass) + ", session)";
}

std::string waiter_claims() {
  return "NOT parked AND (due IS NULL OR due <= clock_timestamp()) AND " + waiter_lives();
}

std::string waiter_is_kept() {
  return std::string("expires > clock_timestamp() - ") + kKept +
         " AND NOT pg_try_advisory_xact_lock_shared(" + std::to_string(kAdvisoryClass) +
         ", session)";
}

std::string waiter_is_over() { return std::string("expires <= clock_timestamp() - ") + kKept; }

// A row that is being refreshed at this moment is not deleted: the statement does not wait for it.
Statement wake_first(const std::string& key) {
  static const std::string kSql =
      "WITH gone AS (DELETE FROM atmost.waiter WHERE ctid = ANY (ARRAY(SELECT ctid FROM "
      "atmost.waiter WHERE lock = $1 AND " +
      waiter_is_over() +
      " FOR UPDATE SKIP LOCKED))) SELECT pg_notify('atmost_' || owner, '') FROM (SELECT owner, "
      "row_number() OVER (PARTITION BY CASE mode WHEN 0 THEN max ELSE 0 END ORDER BY ticket) AS "
      "nth FROM atmost.waiter WHERE lock = $1 AND " +
      waiter_claims() + ") each WHERE nth <= 2";
  return {kSql, {key}, 1};
}

// After a failover or a restore, the rows of holders that still run may be missing. So there are no
// admissions until these holders have stopped.
//
// Where rows may be missing, at least one of these differs: the timeline after a failover or a
// recovery to a point in time, the table when it was made anew from a dump, the database when it is
// a copy of another, the cluster when its files are others. The first three stay while a session
// lasts and are read at its beginning (connecting.cc).
std::string era_name() {
  return "hashtextextended(concat_ws(' ', current_setting('atmost.cluster'), "
         "'atmost.era'::regclass::oid, current_setting('atmost.timeline')), 0)";
}

// The very first era has no beginning and no pause. A lease that is granted in an era does not
// lengthen the era's own pause.
std::string era_sums() {
  return "(SELECT none, longest, CASE WHEN since = 'epoch' THEN 0 ELSE greatest(before - "
         "greatest(" +
         micros("(clock_timestamp() - since)") +
         ", 0), 0) END + CASE WHEN since IS NULL THEN NULL ELSE 0 END AS pause FROM (SELECT "
         "count(*) = 0 AS none, coalesce(max(longest), 0) AS longest, coalesce(max(longest) FILTER "
         "(WHERE timeline <> this), 0) AS before, max(since) FILTER (WHERE timeline = this) AS "
         "since FROM atmost.era, (SELECT " +
         era_name() + " AS this) now) sums)";
}

Statement begin_era() {
  return {"INSERT INTO atmost.era (timeline, since, longest) VALUES (" + era_name() +
              ", clock_timestamp(), 0) ON CONFLICT DO NOTHING",
          {}};
}

Duration micros_span(std::int64_t micros) {
  return Duration{std::clamp<std::int64_t>(micros, 0, Duration::kForever / 1000 - 1) * 1000};
}

std::string pause_left() { return "(SELECT pause FROM " + era_sums() + " eras)"; }

Duration pause_now(Connection& connection, std::int64_t deadline) {
  const Statement question[] = {
      {"SELECT " + or_none(pause_left()) + ", NOT EXISTS(SELECT FROM atmost.era)", {}, 2}};
  for (int tries = 0; tries < 2; ++tries) {
    const std::vector<Rows> answers = connection.ask(question, deadline);
    answers[0].expect(1);
    if (answers[0].boolean(0, 1)) break;
    if (const auto left = answers[0].maybe_integer(0, 0)) return micros_span(*left);
    const Statement seen[] = {begin_era()};
    connection.ask(seen, deadline);
  }
  return {};
}

// Records the lease that is about to be granted, if it is the longest, or the first of all.
void add_era(std::vector<Statement>& to, const Era& era, Duration ttl) {
  const std::int64_t ttl_us = ttl.ns / 1000;
  if (!era.first && era.longest_us >= ttl_us) return;
  to.push_back({"INSERT INTO atmost.era AS old (timeline, since, longest) VALUES (" + era_name() +
                    ", 'epoch', $1) ON CONFLICT (timeline) DO UPDATE SET longest = "
                    "greatest(old.longest, $1)",
                {number(ttl_us)}});
}

Statement draw_place(const LockFacts& lock, const Request& request, const Client& client,
                     const PlaceNote& note) {
  const LockSpec& spec = request.locks[lock.index];
  const Clocks& clocks = lock.clocks();
  std::vector<Value> values = {lock.key,
                               std::to_string(client.connection->session_key()),
                               number(kPlaceLasts.ns / 1000),
                               number(clocks.micros(rule::stamp_of(clocks.now))),
                               number(spec.max),
                               number(spec.take),
                               number(static_cast<std::uint32_t>(spec.mode)),
                               truth(request.on_busy == OnBusy::join),
                               truth(request.on_busy == OnBusy::supersede),
                               note.due == 0 ? Value{} : number(note.due),
                               truth(note.parked)};
  add_caller(values, request, client.id);
  values.erase(values.begin() + 13);  // a waiter's boot is not stored
  return {
      "WITH drawn AS (INSERT INTO atmost.waiter (lock, session, expires, since, max, take, mode, "
      "joins, supersedes, due, parked, owner, host, pid, uid, id, command) VALUES ($1, $2, "
      "clock_timestamp() + " +
          interval_of(3) + ", " + moment_of(4) + ", $5, $6, $7, $8, $9, " + moment_of(10) +
          ", $11, $12, $13, $14, $15, $16, $17) RETURNING ticket), newest AS (UPDATE atmost.lock "
          "SET superseding = ticket FROM drawn WHERE $9 AND name = $1), told AS (SELECT "
          "pg_notify('atmost_' || owner, '') FROM atmost.waiter WHERE $9 AND lock = $1 AND "
          "supersedes AND owner <> $12) SELECT ticket FROM drawn WHERE (SELECT count(*) FROM told) "
          ">= 0",
      std::move(values), 1, "SELECT 1"};
}

Statement note_place(const std::string& key, std::uint64_t ticket, const PlaceNote& note) {
  return {"UPDATE atmost.waiter SET due = " + moment_of(3) +
              ", parked = $4 WHERE lock = $1 AND ticket = $2",
          {key, number(ticket), note.due == 0 ? Value{} : number(note.due), truth(note.parked)}};
}

Statement note_turn(const LockFacts& lock, const LockFacts::Note& note, const std::string& clock) {
  const bool used = note.began_boot_ns == 0;
  const std::int64_t age_ns = lock.clocks().turns_boot_ns - note.began_boot_ns;
  return {"WITH noted AS (UPDATE atmost.waiter SET turn = " + clock + " - " + interval_of(3) +
              " WHERE lock = $1 AND ticket = $2 RETURNING owner) SELECT pg_notify('atmost_' || "
              "owner, '') FROM noted WHERE $3::bigint IS NOT NULL",
          {lock.key, number(note.ticket), used ? Value{} : number(age_ns / 1000)},
          1};
}

Statement leave_place(const std::string& key, const ClientId& client) {
  return {"DELETE FROM atmost.waiter WHERE lock = $1 AND owner = $2", {key, client.owner}};
}

std::string array_of(std::span<const std::uint32_t> slots) {
  std::string text = "{";
  for (std::uint32_t slot : slots) {
    if (text.size() > 1) text += ',';
    text += std::to_string(slot);
  }
  return text + "}";
}

}  // namespace atmost::postgres
