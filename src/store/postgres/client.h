// One caller of a PostgreSQL server, and its connection.
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
  // The time of admissions and ages, as an SQL expression. Tests use their own.
  std::string clock = "clock_timestamp()";
  // No other client of this process waits: this one handles the signals that end it meanwhile.
  bool alone = false;
};

// Connects when a connection is first needed. `address` is borrowed. Not thread-safe.
class Client {
 public:
  Client(const Address& address, const Settings& settings);

  // Runs `work` on the connection, which is made if necessary, within the timeout. If a connection
  // that was once open breaks, runs it again on a new one. Never longer than `not_after`. The
  // tables are made if they are missing; or, if it does not need them, there is nothing to do then.
  // Throws DatabaseError.
  void talk(const std::function<void(Connection&, std::int64_t deadline_boot_ns)>& work,
            bool needs_schema = true, std::int64_t not_after_boot_ns = Duration::kForever);
  // The same, but errors are returned, not thrown.
  Status run(const std::function<void(Connection&, std::int64_t deadline_boot_ns)>& work,
             bool needs_schema = true);
  // True if the same work may succeed now, after a pause that has passed then. `reached`: the
  // server was, by this client.
  bool try_again(const DatabaseError& failure, bool reached, std::int64_t deadline_boot_ns) const;
  Error error_of(const DatabaseError& failure) const;
  // Uses another connection from now on; returns the old one.
  std::unique_ptr<Connection> trade_connection();

  const Address& address;
  const Settings settings;
  const ClientId id;
  std::unique_ptr<Connection> connection;
};

}  // namespace atmost::postgres

#endif
