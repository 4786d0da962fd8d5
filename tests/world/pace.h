// The pace at which a lock was taken: rates and intervals, as seen from outside.
#ifndef ATMOST_TESTS_WORLD_PACE_H
#define ATMOST_TESTS_WORLD_PACE_H

#include <cstdint>
#include <string>
#include <vector>

#include "claim.h"

namespace world {

// Of one lock. An admission is decided, and its start recorded, between the moment when the caller
// took the guard and the moment when it dropped it. So a limit is broken for certain if it is
// broken for the earliest moment of the ones before and the latest moment of this one. No tolerance
// is needed.
class Pace {
 public:
  // Empty, or which limit the caller's admission breaks. In the order of the drops.
  std::string enters(int process, const Claim& claim, std::int64_t guard_taken_ns,
                     std::int64_t guard_dropped_ns);
  // The command of the process could not be started: its last start need not count any more.
  void not_started(int process);
  // Empty, or the limit that an admission at this moment would break.
  std::string check(const Claim& claim, std::int64_t latest_ns) const;
  // The moment before which the rate allows no further admission; INT64_MIN: none is known.
  std::int64_t due_ns(const Run& run) const;
  // A run whose end was recorded: it began to end not before `ending_ns`.
  void ended(std::int64_t ending_ns, bool success);

 private:
  struct Start {
    std::int64_t earliest_ns = 0;
    int process = 0;
    bool rated = false;
  };
  // A store records single admissions from the first one with a rate on, and the one before it.
  std::vector<Start>::const_iterator first_recorded() const;

  std::vector<Start> starts_;
  std::int64_t last_finish_ns_ = INT64_MIN;
  std::int64_t last_success_ns_ = INT64_MIN;
};

}  // namespace world

#endif
