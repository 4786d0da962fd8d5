// One caller of a PostgreSQL server, and how it talks.
#ifndef ATMOST_STORE_POSTGRES_CLIENT_H
#define ATMOST_STORE_POSTGRES_CLIENT_H

#include <functional>
#include <memory>
#include <string>

#include "address.h"
#include "connection.h"
#include "core/result.h"

namespace atmost::postgres {

struct Settings {
  Duration timeout = Duration::seconds(5);  // for one call of the store, connecting included
  // SQL: the time of admissions and ages. Tests have their own.
  std::string clock = "clock_timestamp()";
  // No other client of this process waits: signals that end it meanwhile are this one's to note.
  bool alone = false;
};

// Connects when it is first needed. `address` is borrowed. Not thread-safe.
class Client {
 public:
  Client(const Address& address, const Settings& settings);

  // Runs `work` on the connection, made if need be, within the timeout; again, on a new connection,
  // when that breaks and there was one before. Never longer than `not_after`. Throws DatabaseError.
  void talk(const std::function<void(Connection&, std::int64_t deadline_boot_ns)>& work,
            bool needs_schema = true, std::int64_t not_after_boot_ns = Duration::kForever);
  Error error_of(const DatabaseError& failure) const;
  // Another connection from now on; gives back the one it had.
  std::unique_ptr<Connection> trade_connection();

  const Address& address;
  const Settings settings;
  const ClientId id;
  std::unique_ptr<Connection> connection;
};

}  // namespace atmost::postgres

#endif
