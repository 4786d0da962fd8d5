// From a request of the C library to a lock that can be asked for.
#ifndef ATMOST_LIMITER_LIBRARY_PREPARE_H
#define ATMOST_LIMITER_LIBRARY_PREPARE_H

#include "library_lock.h"

namespace atmost::limiter {

// Completes the request, and sets `to` to a fresh lock that is filled from it. ATMOST_ADMITTED, or
// the answer: then `to` is null.
int prepare(LibraryRequest& from, LibraryLock*& to);

}  // namespace atmost::limiter

#endif
