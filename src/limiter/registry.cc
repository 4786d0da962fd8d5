// Finds the store that a name stands for.
#include <new>

#include "core/limiter.h"
#include "core/schemes.h"
#include "os/host.h"
#include "store/local/nfs_mount.h"
#include "store/local/store.h"
#include "store/symlink/store.h"

namespace atmost {
namespace {

static_assert(sizeof(local::LocalStore) <= sizeof(StoreRoom));
static_assert(sizeof(symlink::SymlinkStore) <= sizeof(StoreRoom));
static_assert(alignof(local::LocalStore) <= alignof(StoreRoom));
static_assert(alignof(symlink::SymlinkStore) <= alignof(StoreRoom));

constexpr std::string_view kShared = "shared:";

std::string_view without_slashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// The name of the store in a directory, without looking at the directory.
[[gnu::cold]] bool url_of(std::string_view directory, PathText& url) {
  PathText absolute;
  if (!absolute_path(directory, absolute)) return false;
  url.assign(kShared);
  url.append(without_slashes(absolute));
  return !url.truncated();
}

}  // namespace

Result<Store*> open_store(std::string_view url, StoreRoom& room, const StoreService* service) {
  const Scheme* scheme = scheme_of(url);
  if (scheme == nullptr) return error_of(Code::usage, 0, "--store: is not a store");
  if (scheme->name == "file") return new (room.bytes) local::LocalStore;
  if (scheme->name == "symlink") return new (room.bytes) symlink::SymlinkStore;
  if (service != nullptr) return service->open(url);
  Error error = error_of(Code::unavailable, 0, "--store: this program does not serve ");
  error.message.append(scheme->name).append(": stores");
  return error;
}

[[gnu::cold]] bool find_shared_store(std::string_view directory, PathText& url) {
  if (!url_of(directory, url)) return false;
  std::string_view path = url;
  path.remove_prefix(kShared.size());
  return local::is_on_good_nfs(path);
}

[[gnu::cold]] NamingContext without_shared(NamingContext around, std::string_view store) {
  PathText url;
  for (std::string_view* directory : {&around.option_dir, &around.atmost_dir}) {
    if (directory->empty()) continue;
    // The store's own directory is not looked at: its server may not answer.
    if ((url_of(*directory, url) && url == without_slashes(store)) ||
        local::is_on_good_nfs(*directory))
      *directory = {};
  }
  return around;
}

}  // namespace atmost
