// The trend of run times.
#ifndef ATMOST_LIBEXEC_REPORT_TREND_H
#define ATMOST_LIBEXEC_REPORT_TREND_H

#include <cstdint>
#include <span>
#include <string_view>

namespace atmost::report {

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

}  // namespace atmost::report

#endif
