// One rule, run by run, as if it had been in force.
#ifndef ATMOST_LIBEXEC_SIMULATE_REPLAY_H
#define ATMOST_LIBEXEC_SIMULATE_REPLAY_H

#include <cstddef>
#include <functional>
#include <vector>

#include "rules.h"
#include "trace.h"

namespace atmost::simulate {

// A lock's first runs are not scored: no rule has data then.
inline constexpr std::size_t kUnscored = 5;

struct Score {
  std::size_t runs = 0;        // good ones, from each lock's sixth on
  std::size_t kills = 0;       // of these, every attempt counting
  std::size_t killed = 0;      // the number of these that were killed
  std::size_t most_kills = 0;  // of one run
  std::size_t unlimited = 0;   // the number of these without a limit, or with the longest
  double log_ratios = 0;       // sum of ln(limit / median run time of the lock)
  std::size_t too_fast = 0;    // of the scored runs, those noted as suspiciously short
  std::size_t would_note =
      0;  // the number of times that a run of a twentieth of the median would have been noted
  std::size_t hangs = 0;        // runs that were stopped, from each lock's eleventh run on
  std::size_t unnoticed = 0;    // those that the limit would not have stopped sooner
  double log_notices = 0;       // sum of ln(time until they end / median)
  std::size_t locks = 0;        // with 100 good runs
  std::size_t locks_above = 0;  // those with more than four times the risk asked for
  double per_thousand() const;  // kills
  double ratio()
      const;  // geometric mean of limit / median: the time for which a hang goes unnoticed
  double notice() const;  // geometric mean of the time until hangs ended / median
};

struct Bounds {
  Duration low;
  Duration high;      // forever: no longest limit
  Duration no_limit;  // finite: the value for a run without a limit in the ratio
};

// The circumstances in which a rule is tried.
struct Setting {
  // So many runs of a lock at a time: others wait. 0: each starts at its moment in the log.
  std::size_t slots = 0;
  // A killed run is tried again at once, until it passes. Else its work is lost.
  bool repeated = true;
  // The activity of a run is seen when its limit is reached (Doing), and wrongly in this share of
  // the kills; negative: it is not seen.
  double wrong_labels = -1;
  // Before this share of the runs, from a lock's eleventh on, one more that hangs until it is
  // stopped.
  double hangs = 0;
};

// A run is killed at its limit, which is set when it starts, from what has ended before, and which
// a rule may lengthen when it is reached. The time that a run took is known when it ends. Runs that
// were stopped in the log end there, or at the limit, and are not tried again. `advanced` is called
// now and then with the number of runs that have started.
Score replay(const Trace& trace, Rule& rule, const Bounds& bounds, const Setting& setting,
             const std::function<void(std::size_t)>& advanced);

}  // namespace atmost::simulate

#endif
