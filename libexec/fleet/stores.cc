#include "stores.h"

#include <cstdlib>

#include "core/schemes.h"
// The room's store.h, which declares open_store(), end_lease() and diagnose().
#include ATMOST_STORE_HEADER

namespace atmost {
namespace {

// The other stores' variables are secret, too: the command needs none of them.
void remove_secrets() {
  for (const Scheme& scheme : kSchemes) {
    for (const char* secret : scheme.secrets) {
      if (secret != nullptr) unsetenv(secret);
    }
  }
}

Result<Store*> open_without_secrets(std::string_view url) {
  Result<Store*> opened = ATMOST_STORE::open_store(url);
  remove_secrets();
  return opened;
}

}  // namespace

const StoreService kService = {open_without_secrets, ATMOST_STORE::end_lease,
                               ATMOST_STORE::diagnose};

}  // namespace atmost
