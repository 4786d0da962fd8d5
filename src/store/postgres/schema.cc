#include "schema.h"

#include <vector>

#include "connection.h"

namespace atmost::postgres {
namespace {

struct Piece {
  const char* why;
  const char* sql;
};

// In this order; each can be repeated without harm.
constexpr Piece kPieces[] = {
    {"Everything atmost keeps is in here. Dropping it frees all locks.",
     "CREATE SCHEMA IF NOT EXISTS atmost"},
    {"Places in queues.", "CREATE SEQUENCE IF NOT EXISTS atmost.ticket"},
    {"One row for each lock ever used. Every decision about a lock is made while its row is "
     "locked.",
     "CREATE TABLE IF NOT EXISTS atmost.lock (\n"
     "  name text PRIMARY KEY,\n"
     "  token bigint NOT NULL DEFAULT 0,\n"
     "  drained boolean NOT NULL DEFAULT false,\n"
     "  drained_slots integer[] NOT NULL DEFAULT '{}',\n"
     "  last_start timestamptz,\n"
     "  last_finish timestamptz,\n"
     "  last_success timestamptz,\n"
     "  refusals bigint NOT NULL DEFAULT 0\n"
     ") WITH (fillfactor = 70)"},
    {"One row for each history of these tables in which locks were kept, and the longest lease "
     "given in it. Another one begins with a failover or a restore: rows may have been lost, and "
     "nobody is admitted until the longest lease given before is over. `timeline` is a hash that "
     "names it: cluster (system identifier), database, this table (their oids), timeline.",
     "CREATE TABLE IF NOT EXISTS atmost.era (\n"
     "  timeline bigint PRIMARY KEY,\n"
     "  since timestamptz NOT NULL,\n"
     "  longest bigint NOT NULL  -- microseconds\n"
     ")"},
    {"One row for each slot that is held, as long as `expires` (by this server's clock) is not "
     "past.",
     "CREATE TABLE IF NOT EXISTS atmost.holder (\n"
     "  lock text NOT NULL,\n"
     "  slot integer NOT NULL CHECK (slot > 0),\n"
     "  token bigint NOT NULL,\n"
     "  owner text NOT NULL,\n"
     "  expires timestamptz NOT NULL,\n"
     "  since timestamptz NOT NULL,\n"
     "  exclusive boolean NOT NULL,\n"
     "  asked smallint NOT NULL DEFAULT 0,  -- to stop: 1 politely, 2 again, 3: no renewal any "
     "more\n"
     "  expire_after bigint,                -- microseconds; null: never overdue\n"
     "  host text NOT NULL,\n"
     "  boot bigint NOT NULL,\n"
     "  pid bigint NOT NULL,\n"
     "  uid bigint NOT NULL,\n"
     "  id bytea NOT NULL,\n"
     "  command bytea NOT NULL,\n"
     "  PRIMARY KEY (lock, slot)\n"
     ") WITH (fillfactor = 50)"},
    {"One row for each caller that waits. `session`: the advisory lock by which others see that it "
     "is still there.",
     "CREATE TABLE IF NOT EXISTS atmost.waiter (\n"
     "  lock text NOT NULL,\n"
     "  ticket bigint NOT NULL DEFAULT nextval('atmost.ticket'),\n"
     "  owner text NOT NULL,\n"
     "  session integer NOT NULL,\n"
     "  expires timestamptz NOT NULL,\n"
     "  since timestamptz NOT NULL,\n"
     "  max integer NOT NULL,\n"
     "  take integer NOT NULL,\n"
     "  mode smallint NOT NULL,  -- 0 plain, 1 shared, 2 exclusive\n"
     "  joins boolean NOT NULL,\n"
     "  host text NOT NULL,\n"
     "  pid bigint NOT NULL,\n"
     "  uid bigint NOT NULL,\n"
     "  id bytea NOT NULL,\n"
     "  command bytea NOT NULL,\n"
     "  PRIMARY KEY (lock, ticket)\n"
     ") WITH (fillfactor = 70)"},
    {"Slots whose holder is being stopped.",
     "CREATE TABLE IF NOT EXISTS atmost.takeover (\n"
     "  lock text NOT NULL,\n"
     "  slot integer NOT NULL,\n"
     "  owner text NOT NULL,\n"
     "  expires timestamptz NOT NULL,\n"
     "  PRIMARY KEY (lock, slot)\n"
     ")"},
    {"For --rate: the moments of the last admissions, the newest last, and how many there were; "
     "null: no caller has had a rate yet. For --on-busy=supersede: the ticket of the newest such "
     "waiter. `failures`: runs that failed, in a row.",
     "ALTER TABLE atmost.lock\n"
     "  ADD COLUMN IF NOT EXISTS admissions timestamptz[],\n"
     "  ADD COLUMN IF NOT EXISTS recorded bigint NOT NULL DEFAULT 0,\n"
     "  ADD COLUMN IF NOT EXISTS superseding bigint NOT NULL DEFAULT 0,\n"
     "  ADD COLUMN IF NOT EXISTS failures bigint NOT NULL DEFAULT 0"},
    {"Earlier formats did not count them.",
     "UPDATE atmost.lock SET recorded = cardinality(admissions) WHERE recorded < "
     "cardinality(admissions)"},
    {"`due`: until then its rate does not allow the waiter; null: it has none. `supersedes`: a "
     "later one that says so too replaces it. `turn`: when its turn began. `parked`: it waits for "
     "something else than this lock.",
     "ALTER TABLE atmost.waiter\n"
     "  ADD COLUMN IF NOT EXISTS due timestamptz,\n"
     "  ADD COLUMN IF NOT EXISTS supersedes boolean NOT NULL DEFAULT false,\n"
     "  ADD COLUMN IF NOT EXISTS turn timestamptz,\n"
     "  ADD COLUMN IF NOT EXISTS parked boolean NOT NULL DEFAULT false"},
    {"What was learned from the runs of a lock; the row without a name: from those of all locks.",
     "CREATE TABLE IF NOT EXISTS atmost.runs (\n"
     "  name text PRIMARY KEY,\n"
     "  runs bytea NOT NULL\n"
     ")"},
    {"The program knows its schema by this.",
     "COMMENT ON SCHEMA atmost IS 'atmost: locks, format 4'"},
};

}  // namespace

std::string schema_script() {
  std::string script =
      "-- The tables in which atmost keeps locks. They are created at the first use where that is "
      "permitted; else the\n"
      "-- database's owner runs:  atmost schema postgres | psql DATABASE\n"
      "-- and lets the users of the locks (here: role atmost_users) in:\n"
      "--   GRANT USAGE ON SCHEMA atmost TO atmost_users;\n"
      "--   GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA atmost TO atmost_users;\n"
      "--   GRANT USAGE ON ALL SEQUENCES IN SCHEMA atmost TO atmost_users;\n"
      "-- A role that may write these tables may take any lock, as writers of a lock file may.\n"
      "BEGIN;\n";
  for (const Piece& piece : kPieces) {
    script += "\n-- ";
    script += piece.why;
    script += "\n";
    script += piece.sql;
    script += ";\n";
  }
  script += "\nCOMMIT;\n";
  return script;
}

void create_schema(Connection& connection, bool there, std::int64_t deadline) {
  std::vector<Statement> all = {
      begin(), {"SELECT pg_advisory_xact_lock($1, 0)", {std::to_string(kAdvisoryClass)}, 1}};
  for (const Piece& piece : kPieces) all.push_back({piece.sql});
  all.push_back(commit());
  try {
    connection.ask(all, deadline);
  } catch (const DatabaseError& failure) {
    if (!failure.is(kNoPrivilege)) throw;
    throw setup_error(std::string("schema atmost is ") +
                          (there ? "of an earlier format, and this user may not change it ("
                                 : "not there, and this user may not create it (") +
                          failure.words +
                          "); let the database's owner run: atmost schema postgres | psql",
                      Code::not_permitted);
  }
}

}  // namespace atmost::postgres
