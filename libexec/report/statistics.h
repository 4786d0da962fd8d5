// Statistics of run times: quantiles and histograms, their trend, and changes of their level.
#ifndef ATMOST_LIBEXEC_REPORT_STATISTICS_H
#define ATMOST_LIBEXEC_REPORT_STATISTICS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atmost::report {

// The least of the values that at least the share `q` (0 to 1) of them do not exceed: nearest rank,
// always a value that was seen. 0 for none. REQUIRES: `sorted` ascends.
std::int64_t quantile(std::span<const std::int64_t> sorted, double q);

// A histogram's bar: `count` values in [from_ns, to_ns), the last one's end included.
struct Bar {
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  std::uint64_t count = 0;
};

// Bars with round edges (1, 2, 5, 10, 20, 50 ms ... 1, 2, 5 days) around all values, at most `most`
// (4 or more): neighbours are put together until there are no more than that. REQUIRES: `sorted`
// ascends.
std::vector<Bar> round_bars(std::span<const std::int64_t> sorted, std::size_t most);

// `count` bars whose ends stand in one ratio, from the least value to the greatest. REQUIRES:
// `sorted` ascends.
std::vector<Bar> even_bars(std::span<const std::int64_t> sorted, std::size_t count);

enum class Course : std::uint8_t { unknown, steady, rising, falling };
inline constexpr std::string_view kCourseNames[] = {"unknown", "steady", "rising", "falling"};

struct Trend {
  Course course = Course::unknown;
  double ratio = 1;  // the run time at the end of the record, divided by that at its beginning,
                     // along the fitted line
};

// Of run times in the order of their starts, ns. Unknown below eight of them. The line is Theil's
// and Sen's through the logarithms of the medians of up to sixteen equal parts of the record: a few
// odd runs do not bend it. It rises or falls when that is significant (Mann and Kendall, 5 %) and
// at least a twentieth; otherwise the times are steady.
Trend trend_of(std::span<const std::int64_t> times);

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
