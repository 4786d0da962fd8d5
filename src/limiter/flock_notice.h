// Warns if another program already uses a lock's file with flock(2).
#ifndef ATMOST_LIMITER_FLOCK_NOTICE_H
#define ATMOST_LIMITER_FLOCK_NOTICE_H

#include "core/limiter.h"

namespace atmost::limiter {

// Looks only once for each lock file: when this admission is the first use of an empty file that
// existed before. If a process that is not an ancestor then holds a flock(2) on it, warns. Costs
// nothing at any other time.
void notice_flocks(const Request& request, const Lease& lease, Observer* observer);

}  // namespace atmost::limiter

#endif
