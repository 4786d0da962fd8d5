// The limits that were learned, for the pages that draw them.
#ifndef ATMOST_LIBEXEC_REPORT_LEARNED_H
#define ATMOST_LIBEXEC_REPORT_LEARNED_H

#include <cstdint>
#include <optional>
#include <string>

#include "ledger.h"

namespace atmost::report {

// The limits that `auto` would apply to this lock now, by the default risk and bounds, from the
// statistics in its file.
struct Learned {
  std::int64_t limit_ns = 0;            // of --expire-after; 0: none
  double asked = 0, expected = 0;       // good runs of 1,000 that may be, and would be stopped
  std::uint64_t wrongly = 0, hung = 0;  // runs that were stopped (core/tuning.h)
  std::string limit_words, risk_words;  // sentences; the second is empty below five runs
};

// The file is opened and not changed. Returns none if nothing was learned, or there is no such file
// here.
std::optional<Learned> learned_of(const LockStory& story);

}  // namespace atmost::report

#endif
