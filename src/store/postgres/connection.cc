#include "connection.h"

#include <poll.h>

#include <cerrno>

#include "os/clock.h"

namespace atmost::postgres {
namespace {

// Milliseconds for poll(2), rounded up; -1 for ever.
int milliseconds_until(std::int64_t deadline) {
  if (deadline == Duration::kForever) return -1;
  const std::int64_t left = deadline - os::boot_ns();
  if (left <= 0) return 0;
  const std::int64_t ms = (left + 999'999) / 1'000'000;
  return ms > 1'000'000 ? 1'000'000 : static_cast<int>(ms);
}

std::string tag_of(const Statement& one) {
  if (!one.tag.empty()) return one.tag;
  return one.sql.starts_with("WITH ") ? "SELECT" : one.sql.substr(0, one.sql.find(' '));
}

[[noreturn]] void silent() { throw silent_error("no answer in time"); }

}  // namespace

void Connection::close() {
  if (connection_ != nullptr) PQfinish(connection_);
  connection_ = nullptr;
}

void Connection::broken() {
  const std::string words = one_line(PQerrorMessage(connection_));
  close();
  throw unreachable_error(words);
}

void Connection::malformed(const std::string& words) {
  close();
  throw malformed_error(words);
}

void Connection::flush(std::int64_t deadline) {
  for (;;) {
    const int left = PQflush(connection_);
    if (left < 0) broken();
    if (left == 0) return;
    await_socket(POLLOUT | POLLIN, deadline);
    if (PQconsumeInput(connection_) != 1) broken();
  }
}

// Waits until the socket is ready: false at the deadline. Throws when the bell is readable.
bool Connection::ready(short events, std::int64_t deadline) const {
  for (;;) {
    pollfd both[] = {{PQsocket(connection_), events, 0}, {bell_, POLLIN, 0}};
    const int count = poll(both, 2, milliseconds_until(deadline));
    if (count > 0 && both[1].revents != 0) silent();
    if (count > 0) return true;
    if (os::boot_ns() >= deadline) return false;
  }
}

void Connection::await_socket(short events, std::int64_t deadline) const {
  if (!ready(events, deadline)) silent();
}

// A connection that was lost silently looks like a slow server. So after a while another connection
// checks whether the server works on our query at all.
void Connection::await_answer(std::int64_t deadline) {
  const std::int64_t doubtful = plus(asked_ns_, {id_.timeout.ns * 2 / 5});
  if (doubts_ && doubtful < deadline) {
    if (ready(POLLIN, doubtful)) return;
    doubts_ = false;
    if (!is_at_work(deadline)) {
      close();
      throw unreachable_error("the connection was lost without an error");
    }
  }
  await_socket(POLLIN, deadline);
}

// True if our server process still works on the query, as another connection sees it. Also true
// when no other connection can be made, or the server does not show it: then waiting is the best
// choice.
bool Connection::is_at_work(std::int64_t deadline) const {
  Connection other(address_, id_);
  other.first_ = first_;
  other.bell_ = bell_;
  other.may_doubt_ = false;
  const Statement question[] = {
      {"SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND (state IS NULL OR state NOT LIKE "
       "'idle%') AND wait_event IS DISTINCT FROM 'ClientRead'",
       {std::to_string(server_.backend)},
       1}};
  try {
    other.open_bare(deadline);
    const std::vector<Rows> answers = other.ask(question, deadline);
    answers[0].expect(1);
    return answers[0].integer(0, 0) > 0;
  } catch (const DatabaseError&) {
    return true;
  }
}

PGresult* Connection::next(std::int64_t deadline) {
  while (PQisBusy(connection_) != 0) {
    await_answer(deadline);
    if (PQconsumeInput(connection_) != 1) broken();
  }
  return PQgetResult(connection_);
}

std::vector<Rows> Connection::ask(std::span<const Statement> statements, std::int64_t deadline) {
  if (connection_ == nullptr) throw unreachable_error("no connection");
  asked_ns_ = os::boot_ns();
  doubts_ = may_doubt_ && server_.backend != 0;
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
    std::optional<DatabaseError> refused;
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
        if (!refused)
          refused = DatabaseError{DatabaseError::Kind::refused, one_line(words), state,
                                  Code::unavailable};
      } else if (refused ? status != PGRES_PIPELINE_ABORTED
                         : status != (one.columns > 0 ? PGRES_TUPLES_OK : PGRES_COMMAND_OK)) {
        malformed("of another kind");
      } else if (!refused) {
        const std::string tag = PQcmdStatus(result);
        const bool counted =
            one.columns == 0 || PQcmdTuples(result) == std::to_string(PQntuples(result));
        if (!tag.starts_with(tag_of(one)) || PQnfields(result) != one.columns || !counted)
          malformed("of another form");
      }
      if (PGresult* more = next(deadline)) {
        PQclear(more);
        malformed("one too many");
      }
    }
    const Rows end(next(deadline));
    if (!end.is(PGRES_PIPELINE_SYNC)) malformed("no end");
    heard_ns_ = os::boot_ns();
    read_notifications();
    if (!refused) return answers;
    abandon(deadline);
    throw *refused;
  } catch (const DatabaseError& failure) {
    if (failure.kind != DatabaseError::Kind::refused) close();
    throw;
  }
}

void Connection::abandon(std::int64_t deadline) {
  if (connection_ == nullptr || PQtransactionStatus(connection_) == PQTRANS_IDLE) return;
  try {
    const Statement back[] = {rollback()};
    ask(back, deadline);
  } catch (const DatabaseError&) {
    close();
  }
}

void Connection::read_notifications() {
  while (PGnotify* notify = PQnotifies(connection_)) {
    PQfreemem(notify);
    news_ = true;
  }
}

bool Connection::await_news(std::int64_t until, int bell) {
  for (;;) {
    if (connection_ == nullptr) throw unreachable_error("no connection");
    read_notifications();
    if (news_) return true;
    pollfd both[] = {{PQsocket(connection_), POLLIN, 0}, {bell, POLLIN, 0}};
    const int ready = poll(both, 2, milliseconds_until(until));
    if (ready < 0 && errno == EINTR) return false;
    if (both[0].revents != 0 &&
        (PQconsumeInput(connection_) != 1 || PQstatus(connection_) == CONNECTION_BAD))
      broken();
    if (both[1].revents != 0) return false;
    if (ready == 0 && os::boot_ns() >= until) return false;
  }
}

}  // namespace atmost::postgres
