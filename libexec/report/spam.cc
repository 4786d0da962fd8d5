#include "spam.h"

namespace atmost::report {

bool Spam::request(std::int64_t at_ns) {
  const std::int64_t gap = at_ns - last_ns_;
  const bool close = any_ && interval_ns_ > 0 && gap <= interval_ns_ + interval_ns_ / kJitter;
  any_ = true;
  last_ns_ = at_ns;
  in_a_row_ = close ? in_a_row_ + 1 : 0;
  return in_a_row_ >= kKeepArriving;
}

}  // namespace atmost::report
