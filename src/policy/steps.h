// Durations on the scale of the stored statistics (core/stats.h).
#ifndef ATMOST_POLICY_STEPS_H
#define ATMOST_POLICY_STEPS_H

#include "core/stats.h"

namespace atmost::policy {

// The end of step s, 0 <= s < kSteps; the last step has no end: forever.
constexpr Duration end_of_step(int step) {
  if (step >= kSteps - 1) return Duration::forever();
  constexpr std::int64_t kQuarters[] = {1'000'000, 1'189'207, 1'414'214,
                                        1'681'793};  // ns: 2^(i/4) ms
  return {kQuarters[(step + 1) % kStepsPerOctave] << ((step + 1) / kStepsPerOctave)};
}

// The step that a duration lies in: the first whose end is not before it.
constexpr int step_of(Duration length) {
  int step = 0;
  while (step < kSteps - 1 && length > end_of_step(step)) ++step;
  return step;
}

inline constexpr float kMostCounts = 1e6f;

// True if no value is NaN, negative, or larger than any that we write.
constexpr bool are_counts(const float* counts, int size) {
  for (int i = 0; i < size; ++i) {
    if (!(counts[i] >= 0 && counts[i] <= kMostCounts)) return false;
  }
  return true;
}

}  // namespace atmost::policy

#endif
