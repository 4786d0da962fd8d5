#include "statements.h"

#include "os/machine.h"
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

std::string array_of(std::span<const std::uint32_t> slots) {
  std::string text = "{";
  for (std::uint32_t slot : slots) {
    if (text.size() > 1) text += ',';
    text += std::to_string(slot);
  }
  return text + "}";
}

}  // namespace atmost::postgres
