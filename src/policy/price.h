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
#ifndef ATMOST_POLICY_PRICE_H
#define ATMOST_POLICY_PRICE_H

#include "policy/forecast.h"

namespace atmost::policy {

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

}  // namespace atmost::policy

#endif
