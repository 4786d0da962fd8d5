// Where the database is: a URL as libpq takes it, cut into servers that are tried one after the
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
  bool verifies = false;  // of some of them the certificate, though nobody said how to treat it
};

// A usage error when it is no URL that libpq understands, or when a password is in it. What the URL
// leaves open, libpq's variables (PGHOST, PGUSER, PGSSLMODE ...) and defaults decide, but for this:
// of a host on the network the certificate is verified, name and all (sslmode=verify-full), by the
// system's authorities unless others are named. Beside those: ATMOST_POSTGRES_PASSWORD, which is
// taken out of the environment, so that no command inherits it, _PASSWORD_FILE and _TIMEOUT (a
// duration). Asks nothing of the network. Errors (usage) repeat neither the URL nor a secret.
Result<Address> parse_address(std::string_view url);

}  // namespace atmost::postgres

#endif
