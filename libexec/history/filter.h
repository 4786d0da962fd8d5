// The choice of the events that are wanted.
#ifndef ATMOST_LIBEXEC_HISTORY_FILTER_H
#define ATMOST_LIBEXEC_HISTORY_FILTER_H

#include <string_view>
#include <vector>

#include "options.h"
#include "reader/record.h"
#include "reader/wanted.h"

namespace atmost::history {

// Indexed by HowItEnded; the first, none, has no name.
inline constexpr std::string_view kOutcomeNames[] = {"",          "success", "failure",  "killed",
                                                     "timed_out", "lost",    "too_soon", "busy"};

HowItEnded outcome_of(const Record& record);

class Filter {
 public:
  Filter(const Options& options, std::vector<WantedLock> locks);
  bool wants(const Record& record) const;
  const std::vector<WantedLock>& locks() const { return locks_; }

 private:
  std::int64_t since_;
  std::int64_t until_;
  unsigned kinds_ = 0;     // bits; 0: all
  unsigned outcomes_ = 0;  // bits; 0: all
  std::vector<WantedLock> locks_;
};

}  // namespace atmost::history

#endif
