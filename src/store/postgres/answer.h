// Failures between us and the server, and its answers, which are read strictly: a value that is
// missing, of another form or out of range is a DatabaseError, never a zero. It is thrown only
// inside src/store/postgres; every call of the store returns it as an Error.
#ifndef ATMOST_STORE_POSTGRES_ANSWER_H
#define ATMOST_STORE_POSTGRES_ANSWER_H

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace atmost::postgres {

struct DatabaseError {
  enum class Kind {
    unreachable,  // no connection, or it broke: worth another try within the time there is
    silent,       // no answer in time
    malformed,    // an answer that is impossible
    refused,      // the server's own error: `state` is its SQLSTATE
    setup,        // another try would fail, too, with `code`
  };
  Kind kind = Kind::malformed;
  std::string words;  // one line; bytes of names as they are
  std::string state;
  Code code = Code::unavailable;

  // SQLSTATE (PostgreSQL, appendix A).
  bool is(std::string_view sqlstate) const { return kind == Kind::refused && state == sqlstate; }
};

inline DatabaseError unreachable_error(std::string words) {
  return {DatabaseError::Kind::unreachable, std::move(words), {}, Code::unavailable};
}
inline DatabaseError silent_error(std::string words) {
  return {DatabaseError::Kind::silent, std::move(words), {}, Code::unavailable};
}
inline DatabaseError malformed_error(const std::string& words) {
  return {
      DatabaseError::Kind::malformed, "an answer that cannot be: " + words, {}, Code::unavailable};
}
inline DatabaseError setup_error(std::string words, Code code = Code::unavailable) {
  return {DatabaseError::Kind::setup, std::move(words), {}, code};
}
// The rows have changed since they were read: the same work is worth another try.
inline DatabaseError changed_error(std::string words) {
  return {DatabaseError::Kind::refused, std::move(words), "40001", Code::unavailable};
}

inline constexpr std::string_view kLockTimeout = "55P03";
inline constexpr std::string_view kNoTable = "42P01";
inline constexpr std::string_view kNoPrivilege = "42501";
inline constexpr std::string_view kReadOnly = "25006";

// True if the same work on a fresh connection may succeed: the connection broke, the server is
// restarting, or two transactions blocked each other.
bool worth_another_try(const DatabaseError& failure);

// `where` names the server (Address::shown).
Error error_of(const DatabaseError& failure, std::string_view where);

// libpq ends its messages with newlines and puts some on several lines; this makes one.
std::string one_line(std::string_view text);

// The report of libpq about a connection that was not made (PQERRORS_VERBOSE): the last message, if
// several servers or ways were tried.
struct Refusal {
  std::string words;  // one line
  std::string state;  // SQLSTATE; empty when it was not the server that refused
};
Refusal refusal_of(std::string_view message);
bool mentions_tls(std::string_view words);

// The error to show when none of several servers could be used: a lasting failure before a
// temporary one, a server that answered before one that did not. The words of the others follow.
DatabaseError most_telling(std::vector<DatabaseError> all);

class Rows {
 public:
  // Takes ownership of the result. Null is an answer without rows.
  explicit Rows(PGresult* result) : result_(result) {}

  int count() const { return PQntuples(result_.get()); }
  bool is(ExecStatusType status) const { return PQresultStatus(result_.get()) == status; }
  // The number of rows that a statement without an answer changed.
  std::int64_t changed() const;
  // Throws DatabaseError unless there are exactly `count` rows.
  void expect(int count) const;

  bool missing(int row, int column) const;  // SQL's null
  std::int64_t integer(int row, int column, std::int64_t least = INT64_MIN,
                       std::int64_t most = INT64_MAX) const;
  // For an expression that was written with or_none().
  std::optional<std::int64_t> maybe_integer(int row, int column) const;
  bool boolean(int row, int column) const;
  std::string text(int row, int column) const;
  std::string bytes(int row, int column) const;                 // bytea
  std::vector<std::uint32_t> slots(int row, int column) const;  // int[]: numbers of slots

 private:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  std::string_view field(int row, int column) const;

  std::unique_ptr<PGresult, Clear> result_;
};

// Columns may be null, but a null in an answer means that a value was lost. So a null column is
// sent as a number.
inline std::string or_none(const std::string& expression) {
  return "coalesce(" + expression + ", '-9223372036854775807'::bigint)";
}

// The notation of bytes for a parameter of type bytea.
std::string hex_of(std::string_view bytes);

}  // namespace atmost::postgres

#endif
