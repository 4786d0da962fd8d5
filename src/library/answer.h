// The C library's answer to the last call of a thread.
#ifndef ATMOST_LIBRARY_ANSWER_H
#define ATMOST_LIBRARY_ANSWER_H

#include <string_view>

#include "core/outcome.h"
#include "core/request.h"

namespace atmost::limiter {

struct LibraryAnswer {
  Text<1500> message;  // escaped
  double retry_in = 0;
  const char* why = "";  // the history's word for the reason
};
const LibraryAnswer& last_answer();

// Each stores, for the calling thread, why there is no lock, and returns the code.
int answer_error(const Error& error);
int answer_misuse(std::string_view what);
// REQUIRES: the outcome is not an admission.
int answer_refusal(const Outcome& outcome, const Request& request);

}  // namespace atmost::limiter

#endif
