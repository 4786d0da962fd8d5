// The run time below which a run is suspiciously short: a backup that ends at once has saved
// nothing.
//
// The forecast (forecast.h) from the lock's own runs has the time below which few of them fall;
// quick runs of other locks give no reason to expect quick ones here. After a run that was too
// short, the floor stays where it is until the job has shown that it has become quicker: else the
// second such run would look like the first. Pure arithmetic.
#ifndef ATMOST_POLICY_FLOOR_H
#define ATMOST_POLICY_FLOOR_H

#include "policy/forecast.h"

namespace atmost::policy {

// After so many successful runs in a row that were too short, the job is taken to have become
// quicker. Ordinary runs in between make it a few more.
inline constexpr std::uint32_t kShortRuns = 5;

// The shortest time that is not suspicious: at most `risk_ppm` of a million runs are expected to be
// shorter, and it is less than half of the median. 0: none, because the lock has fewer runs than a
// limit needs (learn.h), because they differ too much, or because it would be below 10 ms, which is
// what starting a process takes.
Duration run_floor(const LockStats& lock_stats, const OwnForecast& next, std::uint32_t risk_ppm);

// The risk at which the floor is put. It is lower than the requested one where more runs of the
// directory were noted than that allows: work that often becomes less is noted again each time.
std::uint32_t note_risk(const DirectoryStats& directory_stats, std::uint32_t risk_ppm);

// A run of that step has completed, and is not part of the statistics yet. Returns whether it was
// successful and too short.
bool judge_floor(LockStats& lock_stats, const OwnForecast& next, const RunSample& run,
                 std::uint32_t risk_ppm);

}  // namespace atmost::policy

#endif
