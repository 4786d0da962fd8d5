#include "stores.h"

#include <cstdlib>

#include "core/limiter.h"
#ifdef ATMOST_WITH_ETCD
#include "store/etcd/etcd_store.h"
#endif
#ifdef ATMOST_WITH_POSTGRES
#include "store/postgres/postgres_store.h"
#endif

namespace atmost {
namespace {

[[maybe_unused]] Status hand_over(Result<FleetStore*> opened) {
  if (!opened.ok()) return opened.error();
  bring_store(*opened.value());
  return {};
}

Status bring([[maybe_unused]] std::string_view url) {
#ifdef ATMOST_WITH_ETCD
  if (url.starts_with("etcd://")) return hand_over(etcd::open_store(url));
#endif
#ifdef ATMOST_WITH_POSTGRES
  if (url.starts_with("postgres")) return hand_over(postgres::open_store(url));
#endif
  return error_of(Code::unavailable, 0, "--store: this atmost-fleet was built without that store");
}

}  // namespace

Status bring_fleet_store(std::string_view url) {
  Status brought = bring(url);
  for (const char* secret : kSecrets) unsetenv(secret);
  return brought;
}

}  // namespace atmost
