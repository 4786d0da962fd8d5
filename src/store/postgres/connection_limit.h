// The connections that the server still accepts, and the callers that they are left for: a holder
// whose session ended needs another one before its lease ends, so that idle callers leave it one.
#ifndef ATMOST_STORE_POSTGRES_CONNECTION_LIMIT_H
#define ATMOST_STORE_POSTGRES_CONNECTION_LIMIT_H

#include <cstdint>
#include <string>
#include <string_view>

#include "connection.h"

namespace atmost::postgres {

// Of the limits of the server, the database and the role, the one of which the least is left.
struct ConnectionLimit {
  std::string of;  // "the server", "database ops", "role atmost"
  std::int64_t most = 0;
  std::int64_t used = 0;
  std::int64_t holders = 0;  // callers whose lease lasts
  std::int64_t away = 0;     // of these, without a session; counted when fewer connections are left

  std::int64_t left() const { return most > used ? most - used : 0; }
};

// One row for read_limit(). The schema has to be there.
Statement ask_limit();
ConnectionLimit read_limit(const Rows& rows);

// Others see by this lock, for as long as the session lasts, that the holder has one.
Statement mark_session(const ClientId& holder);

// The state of the error of a caller that left a connection to a holder: PostgreSQL's for a server
// that accepts no more.
inline constexpr std::string_view kNoMoreConnections = "53300";
DatabaseError left_to_holders(const ConnectionLimit& limit);

}  // namespace atmost::postgres

#endif
