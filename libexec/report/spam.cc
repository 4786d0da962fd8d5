#include "spam.h"

namespace atmost::report {

bool Spam::request(std::int64_t at_ns) {
  const bool close =
      last_ns_ != 0 && interval_ns_ > 0 && at_ns - last_ns_ <= interval_ns_ + interval_ns_ / kJitter;
  last_ns_ = at_ns;
  in_a_row_ = close ? in_a_row_ + 1 : 0;
  return in_a_row_ >= kKeepArriving;
}

}  // namespace atmost::report
