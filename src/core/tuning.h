// The limits that `auto` would choose for a lock now, and the values that lead to it.
#ifndef ATMOST_TUNING_H
#define ATMOST_TUNING_H

#include <cstdint>

#include "core/stats.h"
#include "core/text.h"

namespace atmost {

struct Tuning {
  StatsKept kept = StatsKept::none;  // unless kept, all is as for a lock that was never used
  std::uint32_t completed = 0, stopped = 0, cut_short = 0;  // runs, as in LockStats
  // Of the runs that a limit stopped: those that were good and those that hung, as later runs have
  // shown; of the others it is not known.
  std::uint32_t wrongly = 0, hung = 0, unsettled = 0;
  double far = 0;                        // the share of runs that took ten times as long as half
  std::uint32_t too_soon = 0, spam = 0;  // requests
  Duration half{}, nine_tenths{},
      longest{};  // of the run times remembered, the older counting less, rounded up
  double related[kRelations] = {};  // how likely each relation of the next run is; sums to 1
  // Runs of the directory that had a limit, and how many good ones it stopped; the older count
  // less.
  std::uint32_t directory_runs = 0, directory_wrongly = 0;
  double price = 0;            // of a wrong kill, in doublings of the limit
  double chance = 0;           // that a good run is longer than run_limit
  double chance_at_limit = 0;  // and than `limit`
  // So many completed runs of the lock itself before there is a limit.
  std::uint32_t runs_needed = 0;
  Duration limit = Duration::forever();  // best at that price, before it was widened and bounded;
                                         // forever: none yet
  bool widened = false;                  // a kill made it longer
  Duration run_limit = Duration::forever();  // after that, and within the bounds
  bool schedule_known = false;
  Duration usual{};          // interval between requests, rounded down
  std::uint32_t slowed = 0;  // steps by which spam made the interval longer
  Limits limits;             // with everything auto
};

// The effect of auto on the lock and, if its limit is long or missing, why. Sentences without the
// lock's name.
Text<500> limit_words(const Tuning& tuning, const LearnedBounds& bounds);

// The accepted risk, and the lock's record.
Text<600> risk_words(const Tuning& tuning, const LearnedBounds& bounds);

}  // namespace atmost

#endif
