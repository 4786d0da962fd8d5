// The limits of the next run, learned from the runs before it.
//
// A limit that is too short kills good runs; one that is too long lets a hang go unnoticed. The
// forecast (forecast.h) says how likely the next run is longer than a limit, and the price
// (price.h) how much longer a limit has to be for one good run less that it kills; it follows the
// kills that turned out to be of good runs (below). The requested risk is kept over all runs of a
// directory. Pure arithmetic; nothing here blocks, fails or needs a
// clock.
#ifndef ATMOST_POLICY_LEARN_H
#define ATMOST_POLICY_LEARN_H

#include "policy/forecast.h"

namespace atmost::policy {

// True if atmost can have written the stored bytes. The caller drops others.
bool is_plausible(const LockStats& lock_stats);
bool is_plausible(const DirectoryStats& directory_stats);

// A lock has a limit once this many of its own runs have completed: the recent runs (forecast.h)
// then have most of the weight that they ever have. The behaviour of other locks gives no reason to
// stop this one's first runs.
inline constexpr std::uint32_t kOwnRuns = 5;

// With fewer than kOwnRuns runs, the limit is the longest that the bounds allow.
struct RunLimit {
  Duration limit = Duration::forever();  // within the bounds
  double price = 0;
  double chance = 0;          // that the next run is longer, by the forecast
  int step = kSteps - 1;      // before a kill made it longer, and before it was bounded
  bool widened = false;       // a kill made it longer
  double chance_at_step = 0;  // that the next run is longer than the end of that step
  Duration floor{};           // shorter runs are suspicious (floor.h); 0: none is
};
RunLimit run_limit(const LockStats& lock_stats, const DirectoryStats& directory_stats,
                   const LearnedBounds& bounds);

// A run of this lock ended by itself. Changes both. Returns whether it was successful and
// suspiciously short (floor.h).
bool run_completed(LockStats& lock_stats, DirectoryStats& directory_stats, const RunSample& run);

// A run was ended by another process or a user: it would have taken longer, by an unknown amount.
void run_cut_short(LockStats& lock_stats, const RunSample& run);

// Good ones, or hangs?
//
// A killed run need not be tried again, and several may be going at a time. So it is taken for a
// good one when a run of its lock that began later has taken as long; and for a hang when so many
// that began later were all shorter that a good one was to be expected among them. If it was seen
// to do nothing when its limit was reached, the next one decides; if it was at work, it counts as
// good until it has proved to be a hang. After a kill the limit is eight times as long as the
// killed run, for the next run, or for forty.

// A limit of ours ended a run.
void run_killed(LockStats& lock_stats, DirectoryStats& directory_stats, const RunSample& run);

// The number of kills that are not settled.
std::uint32_t unsettled_kills(const LockStats& lock_stats);

}  // namespace atmost::policy

#endif
