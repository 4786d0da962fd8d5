#include "learned.h"

namespace atmost::report {

// The one place to ask the lock's memory, once locks have one.
std::int64_t learned_limit_ns(const LockStory&) { return 0; }

}  // namespace atmost::report
