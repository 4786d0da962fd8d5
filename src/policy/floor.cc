
#include "policy/learn.h"
#include "policy/steps.h"

namespace atmost::policy {
namespace {

constexpr Duration kShortestFloor = Duration::millis(10);
// From the end of the median's step to less than half of any time within it.
constexpr int kBelowMedian = kStepsPerOctave + 1;
// Where the runs become quicker, each floor notes several of them.
constexpr double kRepeats = 2;
// The amount that a short run adds to, and an ordinary one takes from, the proof that the job is
// quicker now.
constexpr std::uint32_t kProof = 16;
// So many notes more than the risk allows halve the risk at which the floor is put, down to a
// twentieth of it.
constexpr double kNotesTooMany = 10;
constexpr double kLeastRisk = 0.05;

int median_step(const LockStats& lock_stats) {
  const double half = all_runs(lock_stats) / 2;
  int step = 0;
  for (double below = 0; step < kSteps - 1; ++step) {
    below += static_cast<double>(lock_stats.runs[step]);
    if (below >= half) break;
  }
  return step;
}

// The number of steps below the floor; 0: there is none.
int learned_floor(const LockStats& lock_stats, const OwnForecast& next, std::uint32_t risk_ppm) {
  if (lock_stats.completed < kOwnRuns) return 0;
  const int most = median_step(lock_stats) - kBelowMedian;
  int below = 0;
  while (below <= most && next.within[below] <= risk_ppm * 1e-6 / kRepeats) ++below;
  return below > 0 && end_of_step(below - 1) >= kShortestFloor ? below : 0;
}

int floor_in_force(const LockStats& lock_stats, const OwnForecast& next, std::uint32_t risk_ppm) {
  const int learned = learned_floor(lock_stats, next, risk_ppm);
  const int kept = static_cast<int>(lock_stats.floor);
  return kept > learned ? kept : learned;
}

void forget_floor(LockStats& lock_stats) {
  lock_stats.floor = 0;
  lock_stats.quicker = 0;
}

}  // namespace

Duration run_floor(const LockStats& lock_stats, const OwnForecast& next, std::uint32_t risk_ppm) {
  const int below = floor_in_force(lock_stats, next, risk_ppm);
  return below > 0 ? end_of_step(below - 1) : Duration{};
}

std::uint32_t note_risk(const DirectoryStats& directory_stats, std::uint32_t risk_ppm) {
  const double more = static_cast<double>(directory_stats.noted - directory_stats.allowed);
  if (more <= 0) return risk_ppm;
  const double part = 1 / (1 + more / kNotesTooMany);
  return static_cast<std::uint32_t>(risk_ppm * (part > kLeastRisk ? part : kLeastRisk));
}

bool judge_floor(LockStats& lock_stats, const OwnForecast& next, const RunSample& run,
                 std::uint32_t risk_ppm) {
  const int below = floor_in_force(lock_stats, next, risk_ppm);
  if (step_of(run.ran) >= below) {
    if (lock_stats.quicker > 0) --lock_stats.quicker;
    if (lock_stats.quicker == 0) forget_floor(lock_stats);
    return false;
  }
  lock_stats.floor = static_cast<std::uint32_t>(below);
  // A failure is expected to be quick, and proves nothing.
  if (run.failed) {
    if (lock_stats.quicker < kProof) lock_stats.quicker = kProof;
    return false;
  }
  lock_stats.quicker += kProof;
  if (lock_stats.quicker > kProof * (kShortRuns - 1)) forget_floor(lock_stats);
  return true;
}

}  // namespace atmost::policy
