// Paths of locks, where locks have paths.
#ifndef ATMOST_LIMITER_PATHS_H
#define ATMOST_LIMITER_PATHS_H

#include "core/request.h"
#include "core/schemes.h"
#include "os/file.h"
#include "os/host.h"

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

// Puts the working directory in front of a relative path. False, with the path as it was, when the
// directory is not known or the path is too long.
inline bool make_absolute(PathText& path) {
  if (path.empty() || path.view().front() == '/') return !path.truncated();
  PathText absolute;
  if (!absolute_path(path, absolute)) return false;
  path = absolute;
  return true;
}

}  // namespace atmost::limiter

#endif
