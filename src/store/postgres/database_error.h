// Failures between us and the server. Thrown only inside src/store/postgres; every call of the
// store returns them as an Error.
#ifndef ATMOST_STORE_POSTGRES_DATABASE_ERROR_H
#define ATMOST_STORE_POSTGRES_DATABASE_ERROR_H

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
inline constexpr std::string_view kNoSchema = "3F000";
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

}  // namespace atmost::postgres

#endif
