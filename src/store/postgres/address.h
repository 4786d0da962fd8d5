// Where the database is: a URL as libpq takes it, split into servers that are tried one after the
// other.
#ifndef ATMOST_STORE_POSTGRES_ADDRESS_H
#define ATMOST_STORE_POSTGRES_ADDRESS_H

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/time.h"

namespace atmost::postgres {

// libpq's keywords and their values ("host", "sslmode" ...).
using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Address {
  std::vector<Parameters> servers;  // one at least; each a whole set of parameters for one server
  std::string shown;                // for messages: never a password
  std::string password;  // empty: libpq looks for one ($PGPASSWORD, $PGPASSFILE, ~/.pgpass)
  Duration timeout = Duration::seconds(5);  // for one call of the store, connecting included
  bool verifies = false;  // atmost's default makes it verify the certificate of one of them, at
                          // least
};

// A usage error when libpq does not understand the URL, or when it contains a password. The parts
// that the URL leaves open are decided by libpq's variables (PGHOST, PGUSER, PGSSLMODE ...) and
// defaults, with one exception: the certificate of a host on the network is verified, including its
// name (sslmode=verify-full), by the system's authorities unless others are named. Also reads
// ATMOST_POSTGRES_PASSWORD, _PASSWORD_FILE and _TIMEOUT (a duration). The password is removed from
// the environment, so that no command inherits it. Asks nothing of the network. Errors (usage)
// repeat neither the URL nor a secret.
Result<Address> parse_address(std::string_view url);

// A URL of the same servers, without secrets.
std::string shown(const std::vector<Parameters>& servers);

}  // namespace atmost::postgres

#endif
