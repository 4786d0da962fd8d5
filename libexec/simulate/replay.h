// One rule, run by run, as if it had been in force.
#ifndef ATMOST_LIBEXEC_SIMULATE_REPLAY_H
#define ATMOST_LIBEXEC_SIMULATE_REPLAY_H

#include <cstddef>
#include <functional>

#include "rules.h"
#include "trace.h"

namespace atmost::simulate {

struct Score {
  std::size_t runs = 0;         // that were limited: all but each atom's first
  std::size_t kills = 0;        // of runs that would have finished
  double log_ratios = 0;        // sum of ln(limit / median run time of the atom)
  double per_thousand() const;  // kills
  double ratio() const;         // geometric mean of limit / median: how long a hang goes unnoticed
};

// For each atom's runs in order, from the second on, the limit is set before the run. A longer run
// is a wrong kill; it is tried again under the limit as the rule widens it, each further kill
// counts, and is then seen at its true length. Limits are at least `low` and at most `high`, which
// also stands for no limit. The median is at least a second. Runs that the log says were stopped
// are shown to the rule and do not count. `advanced` is called now and then with the number of runs
// done.
Score replay(const Trace& trace, Rule& rule, Duration low, Duration high,
             const std::function<void(std::size_t)>& advanced);

}  // namespace atmost::simulate

#endif
