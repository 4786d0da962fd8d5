// The reason for which a program could not be started, in words.
#ifndef ATMOST_LIMITER_NOT_STARTED_H
#define ATMOST_LIMITER_NOT_STARTED_H

#include "core/limiter.h"

namespace atmost::limiter {

// `error`: of execve(2). Names the interpreter of a script or the search path where one of them is
// the likely cause.
Error not_started(const Command& command, int error);

// `error`: of fork(2).
Error no_process(int error);

// Warns if another program already uses a lock's file with flock(2).

// Looks only once for each lock file: when this admission is the first use of an empty file that
// existed before. If a process that is not an ancestor then holds a flock(2) on it, warns. Costs
// nothing at any other time.
void notice_flocks(const Request& request, const Lease& lease, Observer* observer);

}  // namespace atmost::limiter

#endif
