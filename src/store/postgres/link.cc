#include "link.h"

#include <poll.h>

#include <cerrno>

#include "os/clock.h"
#include "schema.h"

namespace atmost::postgres {
namespace {

constexpr int kOldest = 120000;

// Milliseconds for poll(2), rounded up; -1 for ever.
int milliseconds_until(std::int64_t deadline) {
  if (deadline == Duration::kForever) return -1;
  const std::int64_t left = deadline - os::boot_ns();
  if (left <= 0) return 0;
  const std::int64_t ms = (left + 999'999) / 1'000'000;
  return ms > 1'000'000 ? 1'000'000 : static_cast<int>(ms);
}

[[noreturn]] void silent() {
  throw Trouble{Trouble::Kind::silent, "no answer in time", {}, Code::unavailable};
}

void ignore_notice(void*, const PGresult*) {}

}  // namespace

void Link::close() {
  if (connection_ != nullptr) PQfinish(connection_);
  connection_ = nullptr;
}

void Link::broken() {
  const std::string words = one_line(PQerrorMessage(connection_));
  close();
  throw Trouble{Trouble::Kind::unreachable, words, {}, Code::unavailable};
}

void Link::malformed(const std::string& words) {
  close();
  throw Trouble{Trouble::Kind::malformed, "an answer that cannot be: " + words, {}, Code::unavailable};
}

void Link::connect(const Parameters& parameters, std::int64_t deadline) {
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : parameters) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  connection_ = PQconnectStartParams(keywords.data(), values.data(), 0);
  if (connection_ == nullptr) throw Trouble{Trouble::Kind::setup, "out of memory", {}, Code::internal};
  PQsetNoticeReceiver(connection_, ignore_notice, nullptr);
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (PQstatus(connection_) != CONNECTION_BAD && status != PGRES_POLLING_OK) {
    if (status == PGRES_POLLING_FAILED) break;
    await_socket(status == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline);
    status = PQconnectPoll(connection_);
  }
  if (PQstatus(connection_) != CONNECTION_OK) broken();
  if (PQsetnonblocking(connection_, 1) != 0 || PQenterPipelineMode(connection_) != 1) broken();
}

void Link::open_bare(std::int64_t deadline) {
  const std::size_t count = address_.servers.size();
  for (std::size_t i = 0;; ++i) {
    const std::size_t server = (first_ + i) % count;
    const std::int64_t left = deadline - os::boot_ns();
    const std::int64_t slice = deadline - (left > 0 ? left / static_cast<std::int64_t>(count - i) : 0) *
                                              static_cast<std::int64_t>(count - i - 1);
    try {
      connect(address_.servers[server], slice);
      first_ = server;
      return;
    } catch (const Trouble&) {
      close();
      if (i + 1 == count) throw;
    }
  }
}

void Link::open(std::int64_t deadline) {
  if (is_open()) return;
  open_bare(deadline);
  try {
    set_up(deadline);
    if (server_.behind_proxy && !session_is_ours(deadline)) {
      throw Trouble{
          Trouble::Kind::setup,
          "a proxy pools transactions here (pgbouncer with pool_mode=transaction?): sessions are not "
          "our own, and nobody would be told of anything; connect to the server itself, or through "
          "pool_mode=session",
          {},
          Code::unavailable};
    }
  } catch (...) {
    close();
    throw;
  }
  was_open_ = true;
  news_ = true;  // what was told while nobody listened is lost: look
}

void Link::set_up(std::int64_t deadline) {
  server_ = {};
  server_.version = PQserverVersion(connection_);
  server_.encrypted = PQsslInUse(connection_) != 0;
  if (server_.version < kOldest) {
    throw Trouble{Trouble::Kind::setup,
                  "this server is too old: PostgreSQL 12 or later is needed",
                  {},
                  Code::unavailable};
  }
  const auto ms = [](std::int64_t ns) { return std::to_string(ns / 1'000'000); };
  const std::int64_t timeout = party_.timeout.ns;
  // Who stands still inside a transaction loses it before those who wait for him give up.
  std::string settings =
      "SELECT set_config('search_path', 'pg_catalog', false), set_config('lock_timeout', $1, false), "
      "set_config('statement_timeout', $2, false), "
      "set_config('idle_in_transaction_session_timeout', $3, false), set_config('bytea_output', 'hex', "
      "false), "
      "set_config('default_transaction_isolation', 'read committed', false), set_config('jit', 'off', "
      "false), "
      "set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE "
      "current_setting('synchronous_commit') END, false)";
  if (server_.version >= 140000)
    settings += ", set_config('client_connection_check_interval', '1000', false)";
  const Statement statements[] = {
      {settings,
       {ms(timeout * 8 / 10), ms(timeout), ms(timeout * 4 / 10)},
       "SELECT",
       server_.version >= 140000 ? 9 : 8},
      {"SELECT pg_backend_pid(), obj_description(to_regnamespace('atmost')::oid, 'pg_namespace'), "
       "to_regnamespace('atmost') IS NOT NULL, pg_try_advisory_lock($1, $2)",
       {std::to_string(kAdvisoryClass), std::to_string(party_.key)},
       "SELECT",
       4},
      {"LISTEN atmost_" + party_.owner, {}, "LISTEN", 0},
  };
  const std::vector<Rows> answers = ask(statements, deadline);
  answers[1].expect(1);
  server_.backend = answers[1].integer(0, 0, 1);
  server_.behind_proxy = server_.backend != PQbackendPID(connection_);
  if (answers[1].boolean(0, 2)) {
    server_.schema = answers[1].missing(0, 1) ? "no comment" : answers[1].text(0, 1);
  }
}

std::int64_t Link::backend_in_transaction(std::int64_t deadline) {
  const Statement statements[] = {begin(), {"SELECT pg_backend_pid()", {}, "SELECT", 1}};
  const std::vector<Rows> answers = ask(statements, deadline);
  answers[1].expect(1);
  return answers[1].integer(0, 0, 1);
}

// A pool hands the process that served us last to the next transaction of anybody; then we get another.
bool Link::session_is_ours(std::int64_t deadline) {
  Link other(address_, party_);
  other.first_ = first_;
  other.open_bare(deadline);
  const std::int64_t theirs = other.backend_in_transaction(deadline);
  const std::int64_t ours = backend_in_transaction(deadline);
  const Statement end[] = {rollback()};
  ask(end, deadline);
  return theirs != server_.backend && ours == server_.backend;
}

void Link::flush(std::int64_t deadline) {
  for (;;) {
    const int left = PQflush(connection_);
    if (left < 0) broken();
    if (left == 0) return;
    await_socket(POLLOUT | POLLIN, deadline);
    if (PQconsumeInput(connection_) != 1) broken();
  }
}

// Waits until the socket is ready. Throws at the deadline, and when the bell rings.
void Link::await_socket(short events, std::int64_t deadline) const {
  for (;;) {
    pollfd both[] = {{PQsocket(connection_), events, 0}, {bell_, POLLIN, 0}};
    const int ready = poll(both, 2, milliseconds_until(deadline));
    if (ready > 0 && both[1].revents != 0) silent();
    if (ready > 0) return;
    if (os::boot_ns() >= deadline) silent();
  }
}

PGresult* Link::next(std::int64_t deadline) {
  while (PQisBusy(connection_) != 0) {
    await_socket(POLLIN, deadline);
    if (PQconsumeInput(connection_) != 1) broken();
  }
  return PQgetResult(connection_);
}

std::vector<Rows> Link::ask(std::span<const Statement> statements, std::int64_t deadline) {
  if (connection_ == nullptr)
    throw Trouble{Trouble::Kind::unreachable, "no connection", {}, Code::unavailable};
  try {
    for (const Statement& one : statements) {
      std::vector<const char*> values;
      for (const Value& value : one.values) values.push_back(value ? value->c_str() : nullptr);
      if (PQsendQueryParams(connection_, one.sql.c_str(), static_cast<int>(values.size()), nullptr,
                            values.data(), nullptr, nullptr, 0) != 1) {
        broken();
      }
    }
    if (PQpipelineSync(connection_) != 1) broken();
    flush(deadline);
    std::vector<Rows> answers;
    std::optional<Trouble> refused;
    for (const Statement& one : statements) {
      PGresult* result = next(deadline);
      if (result == nullptr) malformed("none");
      answers.emplace_back(result);
      if (PQstatus(connection_) == CONNECTION_BAD) broken();
      const ExecStatusType status = PQresultStatus(result);
      if (status == PGRES_FATAL_ERROR) {
        const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        const char* words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
        if (state == nullptr || words == nullptr) malformed("an error without a code");
        if (!refused) refused = Trouble{Trouble::Kind::refused, one_line(words), state, Code::unavailable};
      } else if (refused ? status != PGRES_PIPELINE_ABORTED
                         : status != (one.columns > 0 ? PGRES_TUPLES_OK : PGRES_COMMAND_OK)) {
        malformed("of another kind");
      } else if (!refused) {
        const std::string tag = PQcmdStatus(result);
        const bool counted = one.columns == 0 || PQcmdTuples(result) == std::to_string(PQntuples(result));
        if (!tag.starts_with(one.tag) || PQnfields(result) != one.columns || !counted)
          malformed("of another form");
      }
      if (PGresult* more = next(deadline)) {
        PQclear(more);
        malformed("one too many");
      }
    }
    const Rows end(next(deadline));
    if (!end.is(PGRES_PIPELINE_SYNC)) malformed("no end");
    take_news();
    if (!refused) return answers;
    abandon(deadline);
    throw *refused;
  } catch (const Trouble& trouble) {
    if (trouble.kind != Trouble::Kind::refused) close();
    throw;
  }
}

void Link::abandon(std::int64_t deadline) {
  if (connection_ == nullptr || PQtransactionStatus(connection_) == PQTRANS_IDLE) return;
  try {
    const Statement back[] = {rollback()};
    ask(back, deadline);
  } catch (const Trouble&) {
    close();
  }
}

void Link::take_news() {
  while (PGnotify* notify = PQnotifies(connection_)) {
    PQfreemem(notify);
    news_ = true;
  }
}

bool Link::await_news(std::int64_t until, int bell) {
  for (;;) {
    if (connection_ == nullptr)
      throw Trouble{Trouble::Kind::unreachable, "no connection", {}, Code::unavailable};
    take_news();
    if (news_) return true;
    pollfd both[] = {{PQsocket(connection_), POLLIN, 0}, {bell, POLLIN, 0}};
    const int ready = poll(both, 2, milliseconds_until(until));
    if (ready < 0 && errno == EINTR) return false;
    if (both[0].revents != 0 && (PQconsumeInput(connection_) != 1 || PQstatus(connection_) == CONNECTION_BAD))
      broken();
    if (both[1].revents != 0) return false;
    if (ready == 0 && os::boot_ns() >= until) return false;
  }
}

}  // namespace atmost::postgres
