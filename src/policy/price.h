// The price of a wrong kill, as a number of doublings of the limit, and the limit at that price.
//
// A limit is put where
//
//     doublings + price * (chance that the next run is longer)
//
// is least; a run so long that its retries would be killed, too, counts for more than one. So a
// limit is lengthened only while that is worth its cost: steady runs get a tight limit, and runs of
// very different lengths get one where a further doubling would hardly prevent a kill. Every
// completed run of a directory is compared with the limits that it would have had at eight prices,
// and the price is chosen at which no more than the requested risk would have been killed. Pure
// arithmetic.
#ifndef ATMOST_POLICY_PRICE_H
#define ATMOST_POLICY_PRICE_H

#include "policy/forecast.h"

namespace atmost::policy {

// For that risk (good runs in a million that may be killed): from 32 to 2^20.
double price_for(const DirectoryStats& directory_stats, std::uint32_t risk_ppm);

// The steps that a limit may have.
struct StepBounds {
  int low = 0;
  int high = kSteps - 1;
};

// The step at whose end the limit costs least, `high` at most.
int best_step(const Forecast& forecast, double price, int high);

// The steps of the limits at all prices.
struct PriceLimits {
  std::uint8_t step[kPrices];
};
PriceLimits limits_at_prices(const Forecast& forecast, StepBounds bounds);

// A run took `step`. `limits` were those on it, or on its first attempt, and `high` the highest.
void try_prices(DirectoryStats& directory_stats, const PriceLimits& limits, int step, int high);

}  // namespace atmost::policy

#endif
