// How long the next run may take: limits learned from the runs before it.
//
// A limit that is too short kills good runs; one that is too long lets a hang go unnoticed. The
// forecast (forecast.h) says how likely the next run is longer than a limit, and the price
// (price.h) how much longer a limit has to be for one good run less that it kills. The requested
// risk is kept over all runs of a directory. Pure arithmetic; nothing here blocks, fails or needs a
// clock.
#ifndef ATMOST_POLICY_LEARN_H
#define ATMOST_POLICY_LEARN_H

#include "policy/forecast.h"

namespace atmost::policy {

// Whether atmost can have written the stored bytes. The caller drops others.
bool is_plausible(const LockStats& lock_stats);
bool is_plausible(const DirectoryStats& directory_stats);

// A lock has a limit once this many of its own runs have completed: the recent runs (forecast.h)
// then have most of the weight that they ever have. The behaviour of other locks is no reason to
// stop this one's first runs.
inline constexpr std::uint32_t kOwnRuns = 5;

// With fewer than kOwnRuns runs, the limit is the longest that the bounds allow.
struct RunLimit {
  Duration limit = Duration::forever();  // within the bounds
  double price = 0;
  double chance = 0;          // that the next run is longer, by the forecast
  int step = kSteps - 1;      // before it was widened and bounded
  double chance_at_step = 0;  // that the next run is longer than the end of that step
  Duration floor{};           // shorter runs are suspicious (floor.h); 0: none is
};
RunLimit run_limit(const LockStats& lock_stats, const DirectoryStats& directory_stats,
                   const LearnedBounds& bounds);

// After a limit killed a run, the next limit is at least eight times as long as that run, up to the
// upper bound. After a second kill in a row, it is so again; after the third, it is more than
// twenty times as long and at least a day, so that work that has become so much longer can
// complete; there is none if that is longer than any limit. Each further kill doubles the limit:
// runs that hang one after the other do not leave the lock without one. Where such rows of kills
// have turned out to be hangs in the directory, the third one doubles the limit, too.
inline constexpr std::uint32_t kWidenSteps = 12;

// A run of this lock ended by itself. Changes both. Returns whether it was successful and
// suspiciously short (floor.h).
bool run_completed(LockStats& lock_stats, DirectoryStats& directory_stats, const RunSample& run);

// A run was ended: it would have taken longer, by an unknown amount. If a limit of ours ended it,
// the next limits are longer, and the next run that was admitted later and completes decides how it
// counts. If that run is longer, it is taken for the same work; otherwise the run that was ended
// counts as one of unknown greater length, unless a longer run that was going by then shows that
// it was right after all: with several slots a retry may end after shorter runs.
enum class CutBy : std::uint8_t { limit, other };
void run_cut_short(LockStats& lock_stats, DirectoryStats& directory_stats, const RunSample& run,
                   CutBy by);

}  // namespace atmost::policy

#endif
