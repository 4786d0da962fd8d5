// What `auto` would choose for a lock now, and the values that lead to it.
#ifndef ATMOST_TUNING_H
#define ATMOST_TUNING_H

#include <cstdint>

#include "core/stats.h"

namespace atmost {

struct Tuning {
  StatsKept kept = StatsKept::none;  // unless kept, all is as for a lock that was never used
  std::uint32_t completed = 0, stopped = 0, cut_short = 0;  // runs, as in LockStats
  std::uint32_t too_soon = 0, spam = 0;                     // requests
  Duration half{}, nine_tenths{},
      longest{};  // of the run times remembered, the older counting less, rounded up
  double related[kRelations] = {};   // how likely each relation of the next run is; sums to 1
  std::uint32_t directory_runs = 0;  // runs of the directory that the price was learned from
  double price = 0;                  // of a wrong kill, in doublings of the limit
  double chance = 0;                 // that a good run is longer than run_limit
  double chance_at_limit = 0;        // and than `limit`
  // So many completed runs of the lock itself before there is a limit.
  std::uint32_t runs_needed = 0;
  Duration limit = Duration::forever();  // best at that price, before it was widened and bounded;
                                         // forever: none yet
  std::uint32_t widened = 0;             // steps by which kills made it longer
  Duration run_limit = Duration::forever();  // after that, and within the bounds
  bool schedule_known = false;
  Duration usual{};          // interval between requests, rounded down
  std::uint32_t slowed = 0;  // steps by which spam made the interval longer
  Limits limits;             // with everything auto
};

}  // namespace atmost

#endif
