// One rule, run by run, as if it had been in force.
#ifndef ATMOST_LIBEXEC_SIMULATE_REPLAY_H
#define ATMOST_LIBEXEC_SIMULATE_REPLAY_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/stats.h"
#include "trace.h"

namespace atmost::simulate {

// The ways to limit a run that are compared.

class Rule {
 public:
  Rule(std::string rule_name, std::uint32_t ppm) : name_(std::move(rule_name)), risk_ppm_(ppm) {}
  virtual ~Rule() = default;
  const std::string& name() const { return name_; }
  std::uint32_t risk_ppm() const { return risk_ppm_; }  // 0: the rule has no risk

  // For a run that is about to start; forever: none. `killed_at` is zero at its first attempt, and
  // then the time at which this rule's limit ended the last one.
  virtual Duration limit(std::uint32_t atom, Duration killed_at) = 0;
  // The limit of a run that has just reached `reached`: the same, or a longer one.
  virtual Duration again(std::uint32_t, Duration reached) { return reached; }
  // A run, or an attempt at one, has ended; calls come in the order of these ends. Returns true if
  // it was suspiciously short.
  virtual bool ended(std::uint32_t, const RunSample&) { return false; }
  // A run shorter than this would be suspicious now; 0 if none would.
  virtual Duration floor(std::uint32_t) { return {}; }

 private:
  std::string name_;
  std::uint32_t risk_ppm_;
};

// Parts in a million in the notation of --auto-risk: in 1,000, without needless zeros.
std::string risk_words(std::uint32_t ppm);

// Twice the limit that was too short.
Duration doubled(Duration limit);

// Fixed limits, mean + 8 standard deviations, the largest so far times four, learned limits at each
// risk, and the largest of the whole trace, which cannot be known beforehand. `bounds` has the low
// and high of learned limits.
std::vector<std::unique_ptr<Rule>> all_rules(const Trace& trace, const LearnedBounds& bounds,
                                             const std::vector<std::uint32_t>& risks_ppm);

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
