// From the options of the C library to a request.
#ifndef ATMOST_LIMITER_LIBRARY_REQUEST_H
#define ATMOST_LIMITER_LIBRARY_REQUEST_H

#include "atmost/atmost.h"
#include "core/request.h"

namespace atmost::limiter {

// Copies the options that the calling program knows and sets the others to their defaults, since
// the program may have been compiled with an earlier atmost.h. False: no version of the header had
// a struct of that size.
bool known_options(const atmost_options* from, atmost_options& to);

// Fills everything but the place. ATMOST_ADMITTED, or the answer.
int fill_request(const atmost_options& from, Request& to);

// Sets what atmost_may_be_killed() says; returns the value before.
bool agree_to_be_killed(bool agreed);

}  // namespace atmost::limiter

#endif
