// Where the database is: a URL as libpq takes it, cut into servers that are tried one after the other.
#ifndef ATMOST_STORE_POSTGRES_ADDRESS_H
#define ATMOST_STORE_POSTGRES_ADDRESS_H

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "atmost/result.h"

namespace atmost::postgres {

// libpq's keywords and their values ("host", "sslmode" ...).
using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Address {
  std::vector<Parameters> servers;  // one at least; each a whole set of parameters for one server
  std::string shown;                // for messages: never a password
};

// A usage error when it is no URL that libpq understands, or when a password is in it: passwords come from ~/.pgpass,
// $PGPASSFILE or $PGPASSWORD, certificates from sslcert and sslkey or their variables. What the URL leaves open,
// libpq's variables (PGHOST, PGUSER, PGSSLMODE ...) and defaults decide. Asks nothing of the network.
Result<Address> parse_address(std::string_view url);

}  // namespace atmost::postgres

#endif
