// From the options of the C library to a request.
#ifndef ATMOST_LIMITER_LIBRARY_REQUEST_H
#define ATMOST_LIMITER_LIBRARY_REQUEST_H

#include "atmost/atmost.h"
#include "core/request.h"

namespace atmost::limiter {

// What the program that calls knows of the options, and for the rest the defaults: it may have been
// compiled with an earlier atmost.h. False: no such header ever was.
bool known_options(const atmost_options* from, atmost_options& to);

// Fills everything but the place. ATMOST_ADMITTED, or the answer.
int fill_request(const atmost_options& from, Request& to);

// What atmost_may_be_killed() says; returns what it said before.
bool agree_to_be_killed(bool agreed);

}  // namespace atmost::limiter

#endif
