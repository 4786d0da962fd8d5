#include "client.h"

#include <algorithm>
#include <utility>

#include "connection.h"
#include "os/clock.h"
#include "schema.h"

namespace atmost::postgres {
namespace {

constexpr Duration kPause = Duration::millis(50);  // before another try

// The same after a connection was left to holders, which try five times a second (lease.cc). There
// may be many such callers, so they spread themselves.
Duration while_others_come() {
  return Duration::millis(400 + static_cast<std::int64_t>(random_bits() % 400));
}

ClientId new_client(Duration timeout) {
  ClientId client;
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t part = random_bits();
    for (int shift = 60; shift >= 0; shift -= 4)
      client.owner += "0123456789abcdef"[part >> shift & 15];
  }
  client.timeout = timeout;
  return client;
}

}  // namespace

Client::Client(const Address& where, const Settings& how)
    : address(where),
      settings(how),
      id(new_client(how.timeout)),
      connection(std::make_unique<Connection>(where, id)) {}

Error Client::error_of(const DatabaseError& failure) const {
  return postgres::error_of(failure, address.shown);
}

std::unique_ptr<Connection> Client::trade_connection() {
  return std::exchange(connection, std::make_unique<Connection>(address, id));
}

void Client::talk(const std::function<void(Connection&, std::int64_t)>& work, bool needs_schema,
                  std::int64_t not_after) {
  const std::int64_t deadline = std::min(plus(os::boot_ns(), settings.timeout), not_after);
  for (;;) {
    const bool known = connection->was_open();
    try {
      connection->open(deadline);
      const std::string& mark = connection->server().schema;
      if (needs_schema && (mark.empty() || mark == kFirstMark || mark == kSecondMark)) {
        create_schema(*connection, !mark.empty(), deadline);
        connection->look_for_schema(deadline);
      }
      if (!mark.empty() && mark != kSchemaMark) {
        throw setup_error("schema atmost is of another format than this program's (it says: " +
                          mark + "; expected: " + kSchemaMark + ")");
      }
      if (!mark.empty()) work(*connection, deadline);
      return;
    } catch (const DatabaseError& failure) {
      if (!try_again(failure, known || connection->was_open(), deadline)) throw;
    }
  }
}

Status Client::run(const std::function<void(Connection&, std::int64_t)>& work, bool needs_schema) {
  try {
    talk(work, needs_schema);
    return {};
  } catch (const DatabaseError& failure) {
    return error_of(failure);
  }
}

bool Client::try_again(const DatabaseError& failure, bool reached, std::int64_t deadline) const {
  const bool made_way = failure.state == kNoMoreConnections;
  const std::int64_t again = plus(os::boot_ns(), made_way ? while_others_come() : kPause);
  if (!worth_another_try(failure) || !(reached || made_way) || again >= deadline) return false;
  os::sleep_until(again);
  return true;
}

}  // namespace atmost::postgres
