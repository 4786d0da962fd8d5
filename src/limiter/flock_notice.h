// Whether a lock's file was, until now, another program's to flock(2).
#ifndef ATMOST_LIMITER_FLOCK_NOTICE_H
#define ATMOST_LIMITER_FLOCK_NOTICE_H

#include "core/limiter.h"

namespace atmost::limiter {

// Looks once in a lock file's life: when this admission is the first to use a file that was there,
// empty. A flock(2) that is held then by another process than an ancestor becomes a warning. Costs
// nothing at any other time.
void notice_flocks(const Request& request, const Lease& lease, Observer* observer);

}  // namespace atmost::limiter

#endif
