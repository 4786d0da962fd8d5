// Gaussian bells on the scale of steps, worked out by the compiler: the front tier has no libm.
#ifndef ATMOST_POLICY_BELL_H
#define ATMOST_POLICY_BELL_H

#include "core/stats.h"

namespace atmost::policy {

// at[d]: the chance to lie d steps away (to one side), for a standard deviation of `width` steps.
// Over both sides they sum to 1: the part beyond the end of the scale is left out before.
struct Bell {
  float at[kSteps];
};

// e^-x for x >= 0, to twelve digits: (sum of the series at x / 2^k)^(2^k).
constexpr double fall_off(double x) {
  int halvings = 0;
  for (; x > 0.5; x /= 2) ++halvings;
  double sum = 1, term = 1;
  for (int i = 1; i < 14; ++i) sum += term *= -x / i;
  for (; halvings > 0; --halvings) sum *= sum;
  return sum;
}

constexpr Bell make_bell(double width) {
  constexpr int kSamples = 8;  // of each step: a narrow bell lies within one
  double density[kSteps] = {};
  double all = 0;
  for (int d = 0; d < kSteps; ++d) {
    for (int i = 0; i < kSamples; ++i) {
      const double off = (d - 0.5 + (i + 0.5) / kSamples) / width;
      if (off * off < 1000) density[d] += fall_off(off * off / 2);
    }
    all += d == 0 ? density[d] : 2 * density[d];
  }
  Bell bell{};
  for (int d = 0; d < kSteps; ++d)
    bell.at[d] = density[d] / all < 1e-9 ? 0 : static_cast<float>(density[d] / all);
  return bell;
}

}  // namespace atmost::policy

#endif
