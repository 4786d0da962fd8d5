// A waiter's looks for a circle of callers that wait for one another, in which it is.
#ifndef ATMOST_LIMITER_CIRCLE_WATCH_H
#define ATMOST_LIMITER_CIRCLE_WATCH_H

#include <cstdint>

#include "circle_scan.h"
#include "core/outcome.h"
#include "core/store.h"

namespace atmost::limiter {

// For waiters below a hold, in files of this machine: the first look is a second after the
// beginning, then one comes each second. Others never look.
class CircleWatch {
 public:
  // When to look next; kForever: never.
  std::int64_t next_ns() const { return next_ns_; }
  // A wait begins or goes on. `store` null: nothing is looked for.
  void begin(Store* store);
  // The caller waits after `decision`, until `until_boot_ns`. Looks if it is time. True: it has to
  // leave a circle, and `outcome` is that refusal. Reads lock files and /proc: milliseconds.
  bool refuses(const Request& request, const Decision& decision, std::int64_t until_boot_ns,
               Outcome& outcome);

 private:
  bool is_below_a_hold(const Request& request);
  bool finds_circle(const CircleAsker& asker, std::int64_t until_boot_ns, CircleWords& words);

  Store* store_ = nullptr;
  std::int64_t next_ns_ = Duration::kForever;
  std::uint64_t seen_ = 0;  // the circle of the look before; 0: none
  bool asked_ = false;      // it is known that a hold is around us
};

}  // namespace atmost::limiter

#endif
