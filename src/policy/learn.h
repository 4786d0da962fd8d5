// The limits of the next run, learned from the runs before it.
//
// A limit that is too short kills good runs; one that is too long lets a hang go unnoticed. The
// forecast has the chance that the next run is longer than a limit, and the price says how much
// longer a limit has to be for one good run less that it kills; it follows the kills that turned
// out to be of good runs. The requested risk is kept over all runs of a directory. Pure arithmetic;
// nothing here blocks, fails or needs a clock.
#ifndef ATMOST_POLICY_LEARN_H
#define ATMOST_POLICY_LEARN_H

#include "core/stats.h"

namespace atmost::policy {

// The chance that the next run is longer than a given time.
//
// The next run is like one of the lock's last few runs, or like one of its last hundred, within one
// of four widths, or like any run of the directory. The times that each of these was true are
// counted for the lock, the older runs counting less, and for all locks of the directory of the
// same age; a lock with few runs goes by the directory's counts. Pure arithmetic.

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

// True if atmost can have written the stored bytes. The caller drops others.
bool is_plausible(const LockStats& lock_stats);
bool is_plausible(const DirectoryStats& directory_stats);

// A lock has a limit once this many of its own runs have completed: the recent runs
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
  Duration floor{};           // shorter runs are suspicious; 0: none is
};
RunLimit run_limit(const LockStats& lock_stats, const DirectoryStats& directory_stats,
                   const LearnedBounds& bounds);

// A run of this lock ended by itself. Changes both. Returns whether it was successful and
// suspiciously short.
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

// The price of a wrong kill, as a number of doublings of the limit, and the limit at that price.
//
// A limit is put where
//
//     doublings + price * (chance that the next run is longer)
//
// is least; a run so long that its retries would be killed, too, counts for more than one. So a
// limit is lengthened only while that is worth its cost: steady runs get a tight limit, and runs of
// very different lengths get one where a further doubling would hardly prevent a kill.
//
// One number of the directory steers the price: each good run that was killed raises it by half a
// doubling, and each run lowers it by half of the risk. As it stays within bounds, no more good
// runs are killed than the risk allows, but for two for each doubling by which it has risen,
// whatever the runs are like. Pure arithmetic.

// For that risk (good runs in a million that may be killed): from 32 to 2^40. It is dearer for a
// lock that has lost its last runs, and while there are kills of which nothing is known.
double price_for(const LockStats& lock_stats, const DirectoryStats& directory_stats,
                 std::uint32_t risk_ppm);

// The price's doublings stay within these bounds, on either side.
inline constexpr float kMostDoublings = 40;
// So many kills turned out to be of good runs; or did not, having counted as such (negative).
void were_good(DirectoryStats& directory_stats, int kills);
// A run of a lock with a limit has completed.
void had_a_limit(DirectoryStats& directory_stats, std::uint32_t risk_ppm);

// The step at whose end the limit costs least, `high` at most.
int best_step(const Forecast& forecast, double price, int high);

// After a kill, so many steps are eight times as long.
inline constexpr int kWidenSteps = 12;

// The run time below which a run is suspiciously short: a backup that ends at once has saved
// nothing.
//
// The forecast from the lock's own runs has the time below which few of them fall;
// quick runs of other locks give no reason to expect quick ones here. After a run that was too
// short, the floor stays where it is until the job has shown that it has become quicker: else the
// second such run would look like the first. Pure arithmetic.

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
