// How long the next run may take: limits learned from the runs before it.
//
// A limit that is too short kills good runs; one that is too long lets a hang go unnoticed. A kill
// is worth a number of doublings of the limit, its price, and the limit is put where
//
//     doublings + price * (chance that the next run is longer)
//
// is least. So a limit is lengthened exactly as long as that is worth it: steady runs get a tight
// one, and where runs of any length have been seen the chance of a kill is spent where it buys
// most.
//
// The chance comes from a forecast: the next run is like one of the atom's last runs (the older,
// the less), within one of four widths, or like any run of the directory. How often each of these
// was so is counted for the atom, and until it has runs enough, for the directory's other atoms of
// the same age. Before kOwnRuns of its own there is no limit. The price comes from the directory
// too: every completed run is tried against the limits at eight prices, and that one is taken at
// which no more than the risk asked for would have been killed. Pure arithmetic; nothing here
// blocks, fails or needs a clock.
#ifndef ATMOST_POLICY_LEARN_H
#define ATMOST_POLICY_LEARN_H

#include "core/stats.h"

namespace atmost::policy {

// Whether stored bytes can be what we wrote. Others are to be dropped.
bool is_plausible(const LockStats& memory);
bool is_plausible(const DirectoryStats& experience);

// beyond[s]: the chance that the next run is longer than the end of step s. Falls with s, within
// [0, 1].
struct Forecast {
  double beyond[kSteps];
};
Forecast forecast(const LockStats& memory, const DirectoryStats& experience);

// How likely the next run is related so to what was; they sum to 1.
struct Weights {
  double of[kRelations];
};
Weights weigh(const LockStats& memory, const DirectoryStats& experience);

// What a wrong kill costs, in doublings of the limit, for that risk; from 32 to 2^20.
double price_for(const DirectoryStats& experience, std::uint32_t risk_ppm);

// The step at whose end the limit is best put.
int best_step(const Forecast& forecast, double price);

// A lock has a limit once so many runs of its own have completed: the first has nothing to be
// compared with, and what the eight after it showed weighs as much as all that is borrowed
// (learn.cc, kBorrowed). What other locks do is no reason to stop this one's first runs.
inline constexpr std::uint32_t kOwnRuns = 9;

// Without kOwnRuns: the longest that the bounds allow.
struct RunLimit {
  Duration limit = Duration::forever();  // within the bounds
  double price = 0;
  double chance = 0;      // that the next run is longer, by the forecast
  int step = kSteps - 1;  // before it was widened and bounded
};
RunLimit run_limit(const LockStats& memory, const DirectoryStats& experience,
                   const LearnedBounds& bounds);

// After a limit of ours killed a run, the next is eight times as long.
inline constexpr std::uint32_t kWidenSteps = 12;

// A run ended by itself after `ran`. Changes both.
void run_completed(LockStats& memory, DirectoryStats& experience, Duration ran);

// A run was ended after `ran`: it would have taken longer, nobody knows how much. By a limit: the
// next limits are longer, and the next run to complete settles it. If that one is longer, it is
// taken for the same work, done at last; else the one that was ended counts as one that would have
// been longer.
enum class CutBy : std::uint8_t { limit, other };
void run_cut_short(LockStats& memory, Duration ran, CutBy by);

}  // namespace atmost::policy

#endif
