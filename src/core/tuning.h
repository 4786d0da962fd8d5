// What `auto` would choose for a lock now, and how it got there.
#ifndef ATMOST_TUNING_H
#define ATMOST_TUNING_H

#include <cstdint>

#include "core/stats.h"

namespace atmost {

struct Tuning {
  bool kept = false;  // the store remembers; else everything is as for a lock that nobody has used
  std::uint32_t completed = 0, stopped = 0, cut_short = 0;  // runs, as in LockStats
  std::uint32_t too_soon = 0, spam = 0;                     // requests
  Duration half{}, nine_tenths{},
      longest{};  // of the run times remembered, the older counting less, rounded up
  double related[kRelations] = {};  // how likely the next run is related so; sums to 1
  std::uint32_t experience = 0;     // runs of the directory that the price was learned from
  double price = 0;                 // of a wrong kill, in doublings of the limit
  double chance = 0;                // that a good run is longer than `limit`
  std::uint32_t runs_needed =
      0;  // so many completed runs of the lock itself before there is a limit
  Duration limit = Duration::forever();  // best at that price, before it was widened and bounded;
                                         // forever: none yet
  std::uint32_t widened = 0;             // steps by which kills made it longer
  bool schedule_known = false;
  Duration usual{};          // interval between admissions, rounded down
  std::uint32_t slowed = 0;  // steps by which spam made the interval longer
  Limits limits;             // with everything auto
};

}  // namespace atmost

#endif
