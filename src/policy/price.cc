#include "policy/price.h"

#include <initializer_list>

namespace atmost::policy {
namespace {

constexpr double kCheapest = 32;
constexpr double kDearest = 0x1p40;
// A kill counts for so many doublings, and so does each run, by its risk.
constexpr double kShare = 0.5;
// At most so many kills of which nothing is known count: hangs of a few locks must not take their
// limits from all.
constexpr float kUnseen = 2;
// The retry of a run that is far longer than its limit is killed, too, and each kill counts as one
// more: a limit costs less if a single retry completes. So often that is looked at.
constexpr int kRetries = 2;
// The weight of the chance of one more kill. It would be 1 if forecasts were exact, but they reach
// further than runs do: of the kills of retries that they expect, a fifth happened on the recorded
// log, and none on made ones with lognormal runs.
constexpr double kRetryWeight = 0.15;

// On a straight line between whole numbers: there is no libm here.
double two_to_the(double power) {
  double value = 1;
  for (; power >= 1; --power) value *= 2;
  for (; power < 0; ++power) value /= 2;
  return value * (1 + power);
}

double part_of(std::uint32_t risk_ppm) { return risk_ppm > 0 ? risk_ppm * 1e-6 : 1e-7; }

}  // namespace

double price_for(const LockStats& lock_stats, const DirectoryStats& directory_stats,
                 std::uint32_t risk_ppm) {
  const float unseen = directory_stats.unseen < kUnseen ? directory_stats.unseen : kUnseen;
  const std::uint32_t row = lock_stats.stopped_in_a_row < 64 ? lock_stats.stopped_in_a_row : 64;
  const double more =
      static_cast<double>(directory_stats.doublings) + row + kShare * static_cast<double>(unseen);
  const double price = two_to_the(more) / part_of(risk_ppm);
  return price < kCheapest ? kCheapest : price < kDearest ? price : kDearest;
}

void were_good(DirectoryStats& directory_stats, int kills) {
  const float now = directory_stats.doublings + static_cast<float>(kShare * kills);
  if (now >= -kMostDoublings && now <= kMostDoublings) directory_stats.doublings = now;
}

void had_a_limit(DirectoryStats& directory_stats, std::uint32_t risk_ppm) {
  const double risk = risk_ppm * 1e-6;
  float& doublings = directory_stats.doublings;
  if (two_to_the(static_cast<double>(doublings)) / part_of(risk_ppm) > kCheapest)
    doublings -= static_cast<float>(kShare * risk);
  directory_stats.unseen -= directory_stats.unseen * static_cast<float>(kShare * risk);
  directory_stats.allowed += static_cast<float>(risk);
  directory_stats.tried += 1;
  if (static_cast<double>(directory_stats.tried) < kManyCounts) return;
  for (float* count : {&directory_stats.tried, &directory_stats.wrongly, &directory_stats.noted,
                       &directory_stats.allowed})
    *count /= 2;
}

int best_step(const Forecast& forecast, double price, int high) {
  int best = high;
  double least = 1e300;
  const auto doublings = [](int s) { return static_cast<double>(s) / kStepsPerOctave; };
  for (int s = 0; s <= high && doublings(s) < least; ++s) {
    double kills = forecast.beyond[s];
    // A run that is longer than the longest limit is not tried again.
    for (int retry = s + kWidenSteps; retry < high && retry <= s + kRetries * kWidenSteps;
         retry += kWidenSteps)
      kills += kRetryWeight * forecast.beyond[retry];
    const double cost = doublings(s) + price * kills;
    if (cost < least) {
      least = cost;
      best = s;
    }
  }
  return best;
}

}  // namespace atmost::policy
