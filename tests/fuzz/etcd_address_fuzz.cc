// Any address of etcd in --store: endpoints and a prefix with one meaning, or a refusal that
// repeats no secret.
#include <string_view>

#include "require.h"
#include "store/etcd/access.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string url{reinterpret_cast<const char*>(data), size};
  if (!url.starts_with("etcd://")) url.insert(0, "etcd://");
  const atmost::Result<atmost::etcd::Access> access = atmost::etcd::read_access(url);
  if (!access.ok()) {
    // A name and a password stand before an @, and the sentence has none of its own.
    require(access.error().message.view().find('@') == std::string_view::npos);
    return 0;
  }
  require(!access.value().endpoints.empty());
  for (const std::string& endpoint : access.value().endpoints) {
    require(endpoint.starts_with("http://") &&
            endpoint.find_first_of("@/?# \n", 7) == std::string::npos);
    require(endpoint.rfind(':') > 6);
  }
  const std::string& prefix = access.value().prefix;
  require(prefix.size() > 1 && prefix.front() == '/' && prefix.back() != '/');
  require(prefix.find_first_of("?#") == std::string::npos);
  return 0;
}
