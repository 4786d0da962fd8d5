#include "spam.h"

namespace atmost::report {

bool Spam::request(std::int64_t at_ns) {
  const bool close =
      interval_ns_ > 0 && (start_ns_ == 0 || at_ns - start_ns_ <= interval_ns_ + interval_ns_ / kJitter);
  in_a_row_ = close ? in_a_row_ + 1 : 0;
  return in_a_row_ > kKeepArriving;
}

}  // namespace atmost::report
