// Quantiles and histograms of spans of time.
#ifndef ATMOST_LIBEXEC_REPORT_QUANTILE_H
#define ATMOST_LIBEXEC_REPORT_QUANTILE_H

#include <cstddef>
#include <cstdint>
#include <span>
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

}  // namespace atmost::report

#endif
