#include "statements.h"

#include "os/machine.h"
#include "os/self.h"
#include "schema.h"

namespace atmost::postgres {
namespace {

// How long a waiter that is notified of its turn has to make its attempt.
constexpr char kTurn[] = "interval '1 second'";
// How long a place is kept after its owner last refreshed it; each refresh is good for as long.
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

Value given_moment(const Instant& now) {
  if (!now.given) return std::nullopt;
  return std::to_string(now.real_ns / 1000);
}

Statement take_row(const std::string& key) {
  return {"SELECT 1 FROM atmost.lock WHERE name = $1 FOR UPDATE", {key}, "SELECT", 1};
}

Statement take_row_unwaited(const std::string& key) {
  return {"SELECT 1, " + unwaited() + " FROM atmost.lock WHERE name = $1 FOR UPDATE",
          {key},
          "SELECT",
          2};
}

std::string unwaited() { return "set_config('synchronous_commit', 'off', true)"; }

// A transaction of its own that writes: its end waits for the log of all before it.
Statement on_disk() {
  return {"SELECT pg_logical_emit_message(true, 'atmost', '')", {}, "SELECT", 1};
}

std::string waiter_lives() {
  return "expires > clock_timestamp() AND NOT pg_try_advisory_xact_lock_shared(" +
         std::to_string(kAdvisoryClass) + ", session)";
}

std::string first_of_last(int parameter) {
  const std::string count = "$" + std::to_string(parameter) + "::integer";
  return "CASE WHEN " + count +
         " > 0 AND admissions IS NOT NULL THEN admissions[cardinality(admissions) - " + count +
         " + 1] WHEN " + count + " = 1 THEN last_start END";
}

// A moment early: the clock of a decision is read after the rows.
std::string is_due(const std::string& clock) {
  return "(due IS NULL OR due <= " + clock + " + interval '5 milliseconds')";
}

std::string waiter_is_kept() {
  return std::string("expires > clock_timestamp() - ") + kKept +
         " AND NOT pg_try_advisory_xact_lock_shared(" + std::to_string(kAdvisoryClass) +
         ", session)";
}

std::string waiter_is_over() { return std::string("expires <= clock_timestamp() - ") + kKept; }

namespace {

// Each limit of plain callers has a queue; all shared and exclusive callers have one, with limit 0.
// `which`: a further condition on the waiter that is notified. Rows are found by their ctid, as no
// join has to be planned for that.
std::string call_first(const std::string& which) {
  static const std::string kQueue = "CASE mode WHEN 0 THEN max ELSE 0 END";
  // A row that is being refreshed at this moment is skipped: the statement does not wait for it.
  const auto rows = [](const std::string& condition) {
    return "ctid = ANY (ARRAY(SELECT ctid FROM atmost.waiter WHERE lock = $1 AND " + condition +
           " FOR UPDATE SKIP LOCKED))";
  };
  return "WITH gone AS (DELETE FROM atmost.waiter WHERE " + rows(waiter_is_over()) +
         "), turn AS (SELECT ticket, owner FROM (SELECT DISTINCT ON (" + kQueue +
         ") ticket, owner, expires, mode, take, max, (SELECT count(*) FROM atmost.holder WHERE "
         "lock = $1 AND expires > clock_timestamp()) AS held FROM atmost.waiter WHERE lock = $1 "
         "AND " +
         waiter_lives() + " AND " + is_due("clock_timestamp()") + " ORDER BY " + kQueue +
         ", ticket) first WHERE CASE mode WHEN 2 THEN held = 0 ELSE held + take <= max END" +
         which +
         "), called AS (UPDATE atmost.waiter SET expires = least(expires, clock_timestamp() + " +
         kTurn + ") WHERE " + rows("ticket = ANY (ARRAY(SELECT ticket FROM turn))") +
         ") SELECT pg_notify('atmost_' || owner, '') FROM turn";
}

}  // namespace

Statement wake_first(const std::string& key) {
  static const std::string kSql = call_first("");
  return {kSql, {key}, "SELECT", 1};
}

Statement call_silent_first(const std::string& key) {
  static const std::string kSql =
      call_first(std::string(" AND expires > clock_timestamp() + ") + kTurn +
                 " AND expires < clock_timestamp() + " + kKept + " - " + kTurn);
  return {kSql, {key}, "SELECT", 1};
}

std::string array_of(const std::vector<std::uint32_t>& slots) {
  std::string text = "{";
  for (std::uint32_t slot : slots) {
    if (text.size() > 1) text += ',';
    text += std::to_string(slot);
  }
  return text + "}";
}

}  // namespace atmost::postgres
