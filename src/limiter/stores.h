// Which store keeps a lock.
#ifndef ATMOST_LIMITER_STORES_H
#define ATMOST_LIMITER_STORES_H

#include "core/store.h"

namespace atmost::local {
class LocalStore;
}
namespace atmost::symlink {
class SymlinkStore;
}

namespace atmost::limiter {

// This process's one store of the kind that the lock names. It serves one request at a time.
Store& store_for(const LockSpec& lock);

// The one of them whose holds a child can inherit, and the one that takes locks in other processes'
// names.
local::LocalStore& local_locks();
symlink::SymlinkStore& symlink_locks();

// Whether nobody has used the lock yet; a fleet's lock has to be asked for.
bool untouched(const LockSpec& lock);

// Whether its path means something else in another directory.
bool is_relative(const LockSpec& lock);

// Gives up what the last request left open; a lease that is still held ends.
void close_stores();

}  // namespace atmost::limiter

#endif
