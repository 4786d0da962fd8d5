// The chance that the next run is longer than a given time.
//
// The next run is like one of the lock's last few runs, or like one of its last hundred, within one
// of four widths, or like any run of the directory. The times that each of these was true are
// counted for the lock, the older runs counting less, and for all locks of the directory of the
// same age; a lock with few runs goes by the directory's counts. Pure arithmetic.
#ifndef ATMOST_POLICY_FORECAST_H
#define ATMOST_POLICY_FORECAST_H

#include "core/stats.h"

namespace atmost::policy {

// beyond[s]: the chance that the next run is longer than the end of step s. Falls with s, within
// [0, 1].
struct Forecast {
  double beyond[kSteps];
};

// The probability that the next run has each relation to earlier ones; they sum to 1.
struct Weights {
  double of[kRelations];
};
Weights weigh(const LockStats& lock_stats, const DirectoryStats& directory_stats);

Forecast forecast(const LockStats& lock_stats, const DirectoryStats& directory_stats,
                  const Weights& weights);

// The same from the lock's own runs alone: the chance that the next run takes at most step s,
// provided that it is like some earlier one. Rises with s.
struct OwnForecast {
  double within[kSteps];
};
OwnForecast own_forecast(const DirectoryStats& directory_stats, const Weights& weights,
                         const Forecast& next);

// Distributes a run of that step over the relations of the lock and of the directory: each gets the
// share of the probability that it predicted. Before the run is added to the histograms.
void relate(LockStats& lock_stats, DirectoryStats& directory_stats, const Weights& weights,
            int step);

// A run of the lock, or of a lock of the directory, that took that step.
void add_run(LockStats& lock_stats, int step);
void add_run(DirectoryStats& directory_stats, int step);

// A run longer than `step` by an unknown amount is assumed to be like the longer runs seen so far
// (B. Efron, "The two sample problem with censored data", 1967); if there are none, twice as
// long as `step`.
void add_longer_run(LockStats& lock_stats, int step);
void add_longer_run(DirectoryStats& directory_stats, int step);

// The weight of the lock's runs that were longer than that step, and of all of them.
double longer_runs(const LockStats& lock_stats, int step);
double all_runs(const LockStats& lock_stats);

// At this count a directory's counts are halved, so that old runs lose weight.
inline constexpr double kManyCounts = 16384;

}  // namespace atmost::policy

#endif
