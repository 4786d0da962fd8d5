#include "policy/learn.h"

#include <cstddef>

namespace atmost::policy {
namespace {

// Gaussian bells on the scale of steps, worked out by the compiler: the front tier has no libm.

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

// Factors for older runs at each new run: half the weight is lost after 69 runs, and after 3. The
// first keeps what is rare, the second follows a change.
constexpr float kKeep = 0.99f;
constexpr float kKeepRecent = 0.8f;
// The factor for how often a relation was true: a lock may change its nature.
constexpr float kKeepRelations = 0.96f;

// The four widths: the same length, nearly the same, about as long, within one or two orders of
// magnitude.
constexpr Bell kBells[kWidths] = {make_bell(0.5), make_bell(1.5), make_bell(6), make_bell(24)};
constexpr int kAnyRun = 2 * kWidths;  // the last relation

// The directory's statistics weigh at most as much as this many of the lock's own runs, which is
// the most that those ever weigh, and never more than the runs they contain.
constexpr double kBorrowed = 24;

int stage_of(std::uint32_t runs) {
  return runs < 2 ? 0 : runs < 4 ? 1 : runs < 8 ? 2 : runs < 16 ? 3 : runs < 64 ? 4 : 5;
}

template <std::size_t N>
double sum(const float (&counts)[N]) {
  double all = 0;
  for (float count : counts) all += static_cast<double>(count);
  return all;
}

// Any run of the directory, and one more of unknown length.
double chance_of_any(const DirectoryStats& directory_stats, double all, int step) {
  return (static_cast<double>(directory_stats.runs[step]) + 1.0 / kSteps) / all;
}

double scale_of(const float (&runs)[kSteps]) {
  const double all = sum(runs);
  return all > 0 ? 1 / all : 0;
}

// For each width, the chance of that step by the bells around the runs of one histogram.
struct ByWidth {
  double of[kWidths];
};
ByWidth chances_of(const float (&runs)[kSteps], int step) {
  float chance[kWidths] = {};
  for (int s = 0; s < kSteps; ++s) {
    if (!(runs[s] > 0)) continue;
    const int distance = s < step ? step - s : s - step;
    for (int i = 0; i < kWidths; ++i) chance[i] += runs[s] * kBells[i].at[distance];
  }
  const double scale = scale_of(runs);
  ByWidth chances;
  for (int i = 0; i < kWidths; ++i) chances.of[i] = static_cast<double>(chance[i]) * scale;
  return chances;
}

// The bells around the runs of one histogram, each with its probability, added to `chance`.
void add_bells(const float (&runs)[kSteps], const double* weights, float (&chance)[kSteps]) {
  // One for both sides.
  float bells[2 * kSteps - 1];
  const double scale = scale_of(runs);
  for (int d = 0; d < kSteps; ++d) {
    double high = 0;
    for (int i = 0; i < kWidths; ++i) high += weights[i] * static_cast<double>(kBells[i].at[d]);
    bells[kSteps - 1 + d] = bells[kSteps - 1 - d] = static_cast<float>(high * scale);
  }
  for (int s = 0; s < kSteps; ++s) {
    const float count = runs[s];
    if (count < 1e-6f) continue;
    const float* from = bells + kSteps - 1 - s;
    for (int to = 0; to < kSteps; ++to) chance[to] += count * from[to];
  }
}

void fade(float (&runs)[kSteps], float keep) {
  // Very small weights become zero, because arithmetic with denormal numbers is slow.
  for (float& run : runs) run = run < 1e-6f ? 0 : run * keep;
}

void add(float (&runs)[kSteps], float keep, int step) {
  fade(runs, keep);
  runs[step] += 1;
}

double above(const float (&runs)[kSteps], int step) {
  double all = 0;
  for (int s = step + 1; s < kSteps; ++s) all += static_cast<double>(runs[s]);
  return all;
}

void add_longer(float (&runs)[kSteps], float keep, int step) {
  const int next = step < kSteps - 1 ? step + 1 : step;
  const double longer = above(runs, step);
  if (longer < 1e-3) {
    const int twice = step + kStepsPerOctave;
    return add(runs, keep, twice < kSteps - 1 ? twice : kSteps - 2);
  }
  fade(runs, keep);
  const double share = 1 + 1 / (longer * static_cast<double>(keep));
  for (int s = next; s < kSteps; ++s)
    runs[s] = static_cast<float>(static_cast<double>(runs[s]) * share);
}

}  // namespace

Weights weigh(const LockStats& lock_stats, const DirectoryStats& directory_stats) {
  Weights weights{};
  if (lock_stats.completed == 0) {
    weights.of[kAnyRun] = 1;
    return weights;
  }
  const float(&others)[kRelations] = directory_stats.relations[stage_of(lock_stats.completed)];
  const double known = sum(others) + 1;
  const double worth = known < kBorrowed ? known : kBorrowed;
  const double all = worth + sum(lock_stats.relations);
  for (int i = 0; i < kRelations; ++i) {
    const double borrowed = worth * (static_cast<double>(others[i]) + 1.0 / kRelations) / known;
    weights.of[i] = (borrowed + static_cast<double>(lock_stats.relations[i])) / all;
  }
  return weights;
}

Forecast forecast(const LockStats& lock_stats, const DirectoryStats& directory_stats,
                  const Weights& weights) {
  float chance[kSteps] = {};
  add_bells(lock_stats.runs, weights.of, chance);
  add_bells(lock_stats.recent, weights.of + kWidths, chance);
  const double any = sum(directory_stats.runs) + 1;
  Forecast mixed;
  double above = 0;
  for (int s = kSteps - 1; s >= 0; --s) {
    mixed.beyond[s] = above < 1 ? above : 1;
    above += static_cast<double>(chance[s]) +
             weights.of[kAnyRun] * chance_of_any(directory_stats, any, s);
  }
  return mixed;
}

OwnForecast own_forecast(const DirectoryStats& directory_stats, const Weights& weights,
                         const Forecast& next) {
  const double any = sum(directory_stats.runs) + 1;
  const double own = 1 - weights.of[kAnyRun];
  OwnForecast answer;
  double within_any = 0;
  for (int s = 0; s < kSteps; ++s) {
    within_any += chance_of_any(directory_stats, any, s);
    answer.within[s] = (1 - next.beyond[s] - weights.of[kAnyRun] * within_any) / own;
  }
  return answer;
}

void relate(LockStats& lock_stats, DirectoryStats& directory_stats, const Weights& weights,
            int step) {
  const ByWidth all_runs = chances_of(lock_stats.runs, step);
  const ByWidth recent = chances_of(lock_stats.recent, step);
  double foresaw[kRelations];
  for (int i = 0; i < kWidths; ++i) {
    foresaw[i] = weights.of[i] * all_runs.of[i];
    foresaw[kWidths + i] = weights.of[kWidths + i] * recent.of[i];
  }
  foresaw[kAnyRun] =
      weights.of[kAnyRun] * chance_of_any(directory_stats, sum(directory_stats.runs) + 1, step);
  double all = 0;
  for (double part : foresaw) all += part;
  float(&others)[kRelations] = directory_stats.relations[stage_of(lock_stats.completed)];
  for (int i = 0; i < kRelations; ++i) {
    const auto part = static_cast<float>(foresaw[i] / all);
    lock_stats.relations[i] = lock_stats.relations[i] * kKeepRelations + part;
    others[i] += part;
  }
  if (sum(others) < kManyCounts) return;
  for (float& other : others) other /= 2;
}

void add_run(LockStats& lock_stats, int step) {
  add(lock_stats.runs, kKeep, step);
  add(lock_stats.recent, kKeepRecent, step);
}

void add_run(DirectoryStats& directory_stats, int step) {
  float(&runs)[kSteps] = directory_stats.runs;
  runs[step] += 1;
  if (sum(runs) < kManyCounts) return;
  for (float& count : runs) count /= 2;
}

void add_longer_run(LockStats& lock_stats, int step) {
  add_longer(lock_stats.runs, kKeep, step);
  add_longer(lock_stats.recent, kKeepRecent, step);
}

void add_longer_run(DirectoryStats& directory_stats, int step) {
  add_longer(directory_stats.runs, 1, step);
}

double longer_runs(const LockStats& lock_stats, int step) { return above(lock_stats.runs, step); }
double all_runs(const LockStats& lock_stats) { return sum(lock_stats.runs); }

}  // namespace atmost::policy
