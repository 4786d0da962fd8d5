// Finds the store that a name stands for.
#include <new>

#include "core/limiter.h"
#include "core/schemes.h"
#include "store/local/store.h"
#include "store/symlink/store.h"

namespace atmost {
namespace {

template <class T>
Owned<Store> make(StoreRoom& room) {
  static_assert(sizeof(T) <= sizeof(StoreRoom));
  static_assert(alignof(T) <= alignof(StoreRoom));
  return Owned<Store>(new (room.bytes) T);
}

}  // namespace

Result<Owned<Store>> open_store(std::string_view url, StoreRoom& room,
                                const StoreService* service) {
  const Scheme* scheme = scheme_of(url);
  if (scheme == nullptr) return error_of(Code::usage, 0, "--store: is no store");
  if (scheme->name == "file") return make<local::LocalStore>(room);
  if (scheme->name == "symlink") return make<symlink::SymlinkStore>(room);
  if (service != nullptr) return service->open(url);
  Error error = error_of(Code::unavailable, 0, "--store: this program does not serve ");
  error.message.append(scheme->name).append(": stores");
  return error;
}

}  // namespace atmost
