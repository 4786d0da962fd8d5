// Any address of PostgreSQL in --store: servers to be tried one by one, or a refusal; no password
// is shown.
#include <string>

#include "require.h"
#include "store/postgres/address.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string url{reinterpret_cast<const char*>(data), size};
  if (!url.starts_with("postgres")) url.insert(0, "postgres://");
  const atmost::Result<atmost::postgres::Address> address = atmost::postgres::parse_address(url);
  if (!address.ok()) return 0;
  require(!address.value().servers.empty());
  for (const atmost::postgres::Parameters& server : address.value().servers) {
    for (const auto& [keyword, value] : server) {
      require(!keyword.empty() && keyword != "password");
      if (keyword == "host" || keyword == "port") require(value.find(',') == std::string::npos);
    }
  }
  return 0;
}
