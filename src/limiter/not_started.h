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

}  // namespace atmost::limiter

#endif
