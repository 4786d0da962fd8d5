// Changes of the level of run times.
#ifndef ATMOST_LIBEXEC_REPORT_LEVEL_H
#define ATMOST_LIBEXEC_REPORT_LEVEL_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace atmost::report {

// A change of level: from run `at` on, runs take `ratio` times as long as between the change before
// it (or the beginning) and it.
struct LevelChange {
  bool found = false;
  std::size_t at = 0;
  std::int64_t since_ns = 0;                 // when run `at` started, if the caller has set it
  double ratio = 1;                          // at least 1.4, or at most its inverse
  std::int64_t before_ns = 0, after_ns = 0;  // medians
};

// The latest change in run times that are in the order of their starts, ns. A change is where the
// ranks of the times before and behind differ most (the test of Wilcoxon, Mann and Whitney), if
// they differ more than chance would make them; each part is looked at again (binary segmentation).
// So a few odd runs, however long, make no change, and the distribution of the times may be any. At
// least six runs are needed on each side. O(n log n) for each change.
LevelChange last_level_change(std::span<const std::int64_t> times);

// "2 times as long since 2026-11-03 14:00", in local time.
std::string level_words(const LevelChange& change);

}  // namespace atmost::report

#endif
