// How long the next run may take: limits learned from the runs before it.
//
// A limit that is too short kills good runs; one that is too long lets a hang go unnoticed. The
// price of a kill is expressed as a number of doublings of the limit, and the limit is put where
//
//     doublings + price * (chance that the next run is longer)
//
// is least. So a limit is lengthened only while that is worth its cost: steady runs get a tight
// limit, and runs of very different lengths get one where a further doubling would hardly prevent a
// kill.
//
// The chance comes from a forecast: the next run is like one of the atom's last runs (the older,
// the less), within one of four widths, or like any run of the directory. How often each of these
// was true is counted for the atom and, until it has enough runs, for the directory's other atoms
// of the same age. Before kOwnRuns of its own there is no limit. The price comes from the directory
// too: every completed run is compared with the limits at eight prices, and the price is chosen at
// which no more than the requested risk would have been killed. Pure arithmetic; nothing here
// blocks, fails or needs a clock.
#ifndef ATMOST_POLICY_LEARN_H
#define ATMOST_POLICY_LEARN_H

#include "core/stats.h"

namespace atmost::policy {

// Whether we can have written the stored bytes. The caller drops others.
bool is_plausible(const LockStats& memory);
bool is_plausible(const DirectoryStats& experience);

// beyond[s]: the chance that the next run is longer than the end of step s. Falls with s, within
// [0, 1].
struct Forecast {
  double beyond[kSteps];
};
Forecast forecast(const LockStats& memory, const DirectoryStats& experience);

// The probability that the next run has each relation to earlier ones; they sum to 1.
struct Weights {
  double of[kRelations];
};
Weights weigh(const LockStats& memory, const DirectoryStats& experience);

// The price of a wrong kill for that risk, in doublings of the limit; from 32 to 2^20.
double price_for(const DirectoryStats& experience, std::uint32_t risk_ppm);

// The step at whose end the limit costs least.
int best_step(const Forecast& forecast, double price);

// A lock has a limit once so many runs of its own have completed: the first has nothing to be
// compared with, and the eight after it weigh as much as everything taken from the directory
// (learn.cc, kBorrowed). The behaviour of other locks is no reason to stop this one's first runs.
inline constexpr std::uint32_t kOwnRuns = 9;

// With fewer than kOwnRuns runs, the limit is the longest that the bounds allow.
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

// A run was ended after `ran`: it would have taken longer, by an unknown amount. If a limit of ours
// ended it, the next limits are longer, and the next run that completes decides how it counts. If
// that run is longer, it is taken for the same work; otherwise the run that was ended counts as one
// of unknown greater length.
enum class CutBy : std::uint8_t { limit, other };
void run_cut_short(LockStats& memory, Duration ran, CutBy by);

}  // namespace atmost::policy

#endif
