#include "connection.h"

#include <algorithm>

#include "schema.h"

namespace atmost::postgres {
namespace {

// Superusers are bound by the server's limit alone. Connections that are reserved (for superusers,
// since PostgreSQL 16 for a role) are not for us, unless we have that role.
constexpr char kLimits[] =
    "WITH me AS (SELECT oid, rolname, rolsuper, rolconnlimit FROM pg_roles WHERE rolname = "
    "session_user), base AS (SELECT oid, datname, datconnlimit FROM pg_database WHERE datname = "
    "current_database()), limits AS (SELECT 'the server' AS of, "
    "current_setting('max_connections')::bigint - "
    "current_setting('superuser_reserved_connections')::bigint - CASE WHEN EXISTS (SELECT FROM "
    "pg_roles WHERE rolname = 'pg_use_reserved_connections' AND pg_has_role(oid, 'USAGE')) THEN 0 "
    "ELSE coalesce(current_setting('reserved_connections', true)::bigint, 0) END AS most, (SELECT "
    "sum(pg_stat_get_db_numbackends(oid))::bigint FROM pg_database) AS used UNION ALL SELECT "
    "'database ' || datname, datconnlimit, pg_stat_get_db_numbackends(base.oid) FROM base, me "
    "WHERE datconnlimit >= 0 AND NOT rolsuper UNION ALL SELECT 'role ' || rolname, rolconnlimit, "
    "(SELECT count(*) FROM pg_stat_get_backend_idset() AS each WHERE "
    "pg_stat_get_backend_userid(each) = me.oid) FROM me WHERE rolconnlimit >= 0 AND NOT rolsuper), "
    "least AS (SELECT * FROM limits ORDER BY most - used LIMIT 1)";

constexpr char kOwners[] =
    "SELECT count(DISTINCT owner) FROM atmost.holder WHERE expires > clock_timestamp()";

std::string is_marked() {
  return "EXISTS (SELECT FROM pg_locks, base WHERE locktype = 'advisory' AND database = base.oid "
         "AND objsubid = 2 AND objid = hashtext(owner)::oid AND classid = " +
         std::to_string(kHolderClass) + ")";
}

}  // namespace

Statement ask_limit() {
  return {std::string(kLimits) + ", owners AS (" + kOwners +
              ") SELECT of, most, used, owners.count, CASE WHEN owners.count <= greatest(most - "
              "used, 0) THEN 0 ELSE (" +
              kOwners + " AND NOT " + is_marked() + ") END FROM least, owners",
          {},
          5};
}

ConnectionLimit read_limit(const Rows& rows) {
  rows.expect(1);
  ConnectionLimit limit;
  limit.of = rows.text(0, 0);
  limit.most = rows.integer(0, 1);
  limit.used = rows.integer(0, 2, 0);
  limit.holders = rows.integer(0, 3, 0);
  limit.away = rows.integer(0, 4, 0);
  return limit;
}

// Shared: the session before may not have ended yet.
Statement mark_session(const ClientId& holder) {
  return {"SELECT pg_try_advisory_lock_shared($1, hashtext($2))",
          {std::to_string(kHolderClass), holder.owner},
          1};
}

DatabaseError left_to_holders(const ConnectionLimit& limit) {
  return {DatabaseError::Kind::unreachable,
          std::to_string(limit.used) + " of " + std::to_string(limit.most) + " connections of " +
              limit.of + " are in use; the others are left to running jobs whose session ended (" +
              std::to_string(limit.away) + ")",
          std::string(kNoMoreConnections), Code::unavailable};
}

}  // namespace atmost::postgres
