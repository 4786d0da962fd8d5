// Making a connection: server, settings, and the test that the session is our own.
#include <poll.h>
#include <sys/random.h>

#include <utility>

#include "connection.h"
#include "os/clock.h"
#include "schema.h"
#include "statements.h"

namespace atmost::postgres {
namespace {

constexpr int kOldest = 120000;

// 1 to 2^31 - 1.
std::int32_t any_key() { return static_cast<std::int32_t>(random_bits() >> 33 | 1u); }

void ignore_notice(void*, const PGresult*) {}

}  // namespace

// Not by the C++ library, which asks the processor what it can do: on a virtual machine the
// hypervisor answers that.
std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  while (getrandom(&bits, sizeof bits, 0) != sizeof bits) {
  }
  return bits;
}

void Connection::connect(const Parameters& parameters, std::int64_t deadline) {
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : parameters) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  if (!address_.password.empty()) {
    keywords.push_back("password");
    values.push_back(address_.password.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  server_ = {};
  connection_ = PQconnectStartParams(keywords.data(), values.data(), 0);
  if (connection_ == nullptr) throw setup_error("out of memory", Code::internal);
  PQsetNoticeReceiver(connection_, ignore_notice, nullptr);
  PQsetErrorVerbosity(connection_,
                      PQERRORS_VERBOSE);  // with the SQLSTATE, the reason why the server refused
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (PQstatus(connection_) != CONNECTION_BAD && status != PGRES_POLLING_OK) {
    if (status == PGRES_POLLING_FAILED) break;
    await_socket(status == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline);
    status = PQconnectPoll(connection_);
  }
  if (PQstatus(connection_) != CONNECTION_OK) not_let_in();
  PQsetErrorVerbosity(connection_, PQERRORS_DEFAULT);
  if (PQsetnonblocking(connection_, 1) != 0 || PQenterPipelineMode(connection_) != 1) broken();
}

// The reason why there is no connection, and the remedy, in one line.
void Connection::not_let_in() {
  const bool no_password = PQconnectionNeedsPassword(connection_) != 0;
  Refusal refusal = refusal_of(PQerrorMessage(connection_));
  close();
  if (no_password) {
    refusal.words +=
        " (passwords come from ~/.pgpass, $PGPASSFILE or $ATMOST_POSTGRES_PASSWORD_FILE)";
  } else if (address_.verifies && mentions_tls(refusal.words)) {
    refusal.words +=
        " (hosts on the network are verified unless ?sslmode= in the URL or $PGSSLMODE says "
        "otherwise)";
  }
  // Class 28 of SQLSTATE: invalid authorization.
  const bool denied = no_password || refusal.state.starts_with("28");
  throw DatabaseError{denied ? DatabaseError::Kind::setup : DatabaseError::Kind::unreachable,
                      refusal.words,
                      {},
                      denied ? Code::not_permitted : Code::unavailable};
}

// Of several servers, the one that takes writes is wanted. A default that makes sessions read-only
// is overridden (set_up()); a standby is refused.
void Connection::refuse_standby(std::int64_t deadline) {
  const char* const reported =
      PQparameterStatus(connection_, "in_hot_standby");  // since PostgreSQL 14
  bool standby = reported != nullptr && std::string_view(reported) == "on";
  if (reported == nullptr) {
    const Statement question[] = {{"SELECT pg_is_in_recovery()", {}, 1}};
    const std::vector<Rows> answers = ask(question, deadline);
    answers[0].expect(1);
    standby = answers[0].boolean(0, 0);
  }
  if (!standby) return;
  throw DatabaseError{DatabaseError::Kind::unreachable, "a standby, which takes no writes",
                      std::string(kReadOnly), Code::unavailable};
}

void Connection::open_bare(std::int64_t deadline) {
  const std::size_t count = address_.servers.size();
  std::vector<DatabaseError> troubles;
  for (std::size_t i = 0;; ++i) {
    const std::size_t server = (first_ + i) % count;
    const std::int64_t left = deadline - os::boot_ns();
    const std::int64_t slice =
        deadline - (left > 0 ? left / static_cast<std::int64_t>(count - i) : 0) *
                       static_cast<std::int64_t>(count - i - 1);
    try {
      connect(address_.servers[server], slice);
      refuse_standby(slice);
      first_ = server;
      return;
    } catch (const DatabaseError& failure) {
      close();
      troubles.push_back(failure);
      if (i + 1 == count) throw most_telling(std::move(troubles));
    }
  }
}

void Connection::open_as_is(std::int64_t deadline) {
  if (is_open()) return;
  connect(address_.servers.front(), deadline);
}

void Connection::open(std::int64_t deadline) {
  if (is_open()) return;
  open_bare(deadline);
  try {
    set_up(deadline);
    if (server_.behind_proxy && !session_is_ours(deadline)) {
      throw setup_error(
          "a proxy pools transactions or statements here (pgbouncer with pool_mode=transaction?): "
          "sessions are not our own, and notifications would not arrive; connect to the server "
          "itself, or through pool_mode=session");
    }
    if (!goes_first_) make_way(deadline);
  } catch (...) {
    close();
    throw;
  }
  was_open_ = true;
  opened_ns_ = os::boot_ns();
  news_ = true;  // notifications that came while nothing listened are lost: look
}

// Every session was counted before it asks, so the last one to ask sees them all.
void Connection::make_way(std::int64_t deadline) {
  if (server_.schema != kSchemaMark) return;  // there are no holders yet
  ConnectionLimit limit;
  const Statement question[] = {ask_limit()};
  try {
    limit = read_limit(ask(question, deadline)[0]);
  } catch (const DatabaseError& failure) {
    if (failure.kind != DatabaseError::Kind::refused) throw;
    return;  // a user without rights on the tables takes no slot, either
  }
  if (limit.away > limit.left()) throw left_to_holders(limit);
}

void Connection::set_up(std::int64_t deadline) {
  key_ = 0;
  const std::int32_t key = any_key();
  server_.version = PQserverVersion(connection_);
  server_.encrypted = PQsslInUse(connection_) != 0;
  if (server_.version < kOldest) {
    throw setup_error("this server is too old: PostgreSQL 12 or later is needed");
  }
  const auto ms = [](std::int64_t ns) { return std::to_string(ns / 1'000'000); };
  const std::int64_t timeout = id_.timeout.ns;
  // A client that is idle inside a transaction loses it before those that wait for it give up.
  std::string settings =
      "SELECT set_config('search_path', 'pg_catalog', false), set_config('lock_timeout', $1, "
      "false), set_config('statement_timeout', $2, false), "
      "set_config('idle_in_transaction_session_timeout', $3, false), set_config('bytea_output', "
      "'hex', false), set_config('default_transaction_isolation', 'read committed', false), "
      "set_config('default_transaction_read_only', 'off', false), "
      // The server notices that a host has gone as fast as we notice that a server has.
      "set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', "
      "false), set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', "
      "'10000', false), set_config('jit', 'off', false), set_config('synchronous_commit', CASE "
      "current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE "
      "current_setting('synchronous_commit') END, false), set_config('atmost.cluster', (SELECT "
      "system_identifier::text FROM pg_control_system()) || ' ' || (SELECT oid FROM pg_database "
      "WHERE datname = current_database()), false), set_config('atmost.timeline', " +
      timeline() + "::text, false)";
  if (server_.version >= 140000)
    settings += ", set_config('client_connection_check_interval', '1000', false)";
  std::vector<Statement> statements = {
      {settings,
       {ms(timeout * 8 / 10), ms(timeout), ms(timeout * 4 / 10)},
       server_.version >= 140000 ? 16 : 15},
      {"SELECT pg_backend_pid(), pg_try_advisory_lock($1, $2)",
       {std::to_string(kAdvisoryClass), std::to_string(key)},
       2},
      schema_mark(),
      {"LISTEN atmost_" + id_.owner, {}},
  };
  if (goes_first_) statements.push_back(mark_session(id_));
  const std::vector<Rows> answers = ask(statements, deadline);
  answers[1].expect(1);
  server_.backend = answers[1].integer(0, 0, 1);
  server_.behind_proxy = server_.backend != PQbackendPID(connection_);
  if (answers[1].boolean(0, 1)) key_ = key;
  read_schema_mark(answers[2]);
}

// The comment of the schema, from where it is kept: obj_description() takes the server 1 to 4 ms.
Statement Connection::schema_mark() {
  return {
      "SELECT (SELECT description FROM pg_description WHERE objoid = "
      "to_regnamespace('atmost')::oid AND classoid = 'pg_namespace'::regclass AND objsubid = 0), "
      "to_regnamespace('atmost') IS NOT NULL",
      {},
      2};
}

void Connection::read_schema_mark(const Rows& rows) {
  rows.expect(1);
  server_.schema.clear();
  if (rows.boolean(0, 1)) server_.schema = rows.missing(0, 0) ? "no comment" : rows.text(0, 0);
}

void Connection::look_for_schema(std::int64_t deadline) {
  const Statement statements[] = {schema_mark()};
  read_schema_mark(ask(statements, deadline)[0]);
}

std::int64_t Connection::backend_in_transaction(std::int64_t deadline) {
  const Statement statements[] = {begin(), {"SELECT pg_backend_pid()", {}, 1}};
  const std::vector<Rows> answers = ask(statements, deadline);
  answers[1].expect(1);
  return answers[1].integer(0, 0, 1);
}

// A pool gives the process that served us last to the next transaction of any client; then we get
// another.
bool Connection::session_is_ours(std::int64_t deadline) {
  Connection other(address_, id_);
  other.first_ = first_;
  other.open_bare(deadline);
  std::int64_t theirs = 0;
  try {
    theirs = other.backend_in_transaction(deadline);
  } catch (const DatabaseError& failure) {
    // A proxy that pools statements closes a connection that begins a transaction, and serves one
    // that does not.
    if (failure.kind != DatabaseError::Kind::unreachable) throw;
    const Statement plain[] = {{"SELECT 1", {}, 1}};
    other.open_bare(deadline);
    other.ask(plain, deadline);
    return false;
  }
  const std::int64_t ours = backend_in_transaction(deadline);
  const Statement end[] = {rollback()};
  ask(end, deadline);
  return theirs != server_.backend && ours == server_.backend;
}

}  // namespace atmost::postgres
