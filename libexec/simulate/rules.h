// The ways to limit a run that are compared.
#ifndef ATMOST_LIBEXEC_SIMULATE_RULES_H
#define ATMOST_LIBEXEC_SIMULATE_RULES_H

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/stats.h"
#include "trace.h"

namespace atmost::simulate {

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

}  // namespace atmost::simulate

#endif
