// Paths of locks, where locks have paths.
#ifndef ATMOST_LIMITER_PATHS_H
#define ATMOST_LIMITER_PATHS_H

#include "core/request.h"
#include "core/traits.h"
#include "os/file.h"

namespace atmost::limiter {

// True if the lock was never used. False for a store without paths, and if it cannot be found out:
// then the store reports why.
inline bool untouched(const StoreTraits& traits, const LockSpec& lock) {
  return traits.has_path && os::is_missing(lock.path.c_str());
}

// True if its path means something else in another directory.
inline bool is_relative(const StoreTraits& traits, const LockSpec& lock) {
  return traits.has_path && lock.path.view().front() != '/';
}

}  // namespace atmost::limiter

#endif
