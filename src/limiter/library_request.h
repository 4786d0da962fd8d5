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

// A request, and the options that it was filled from: programs take a lock again and again.
class FilledRequest {
 public:
  // Fills everything but the place, or what may have changed since it was filled from the same
  // options. ATMOST_ADMITTED, or the answer.
  int fill(const atmost_options& from);
  Request& get() { return request_; }
  const Request& get() const { return request_; }

  // Copies the path of the log, because its parts may change where they are.
  void keep_log(const PathParts& log);

 private:
  bool is_from(const atmost_options& options) const;
  void fill_again();

  bool filled_ = false;
  atmost_options options_;  // with filled_
  Request request_;
  PathText log_;
};

// Sets what atmost_may_be_killed() says; returns the value before.
bool agree_to_be_killed(bool agreed);

}  // namespace atmost::limiter

#endif
