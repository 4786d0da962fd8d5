#include "client.h"

#include <algorithm>
#include <utility>

#include "os/clock.h"
#include "schema.h"

namespace atmost::postgres {
namespace {

constexpr Duration kPause = Duration::millis(50);  // before another try

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
      if (needs_schema && (mark.empty() || mark == kFirstMark)) {
        create_schema(*connection, !mark.empty(), deadline);
        connection->look_for_schema(deadline);
      }
      if (!mark.empty() && mark != kSchemaMark) {
        throw DatabaseError{DatabaseError::Kind::setup,
                            "schema atmost is of another format than this program's (it says: " +
                                mark + "; expected: " + kSchemaMark + ")",
                            {},
                            Code::unavailable};
      }
      return work(*connection, deadline);
    } catch (const DatabaseError& failure) {
      const bool reached = known || connection->was_open();
      if (!worth_another_try(failure) || !reached || plus(os::boot_ns(), kPause) >= deadline) throw;
    }
    os::sleep_until(plus(os::boot_ns(), kPause));
  }
}

}  // namespace atmost::postgres
