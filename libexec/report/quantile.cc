#include "quantile.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace atmost::report {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1000 * kMs;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

// Round values in common units; powers of ten where there are no other units.
constexpr std::int64_t kEdges[] = {
    0,           1 * kMs,      2 * kMs,      5 * kMs,      10 * kMs,    20 * kMs,
    50 * kMs,    100 * kMs,    200 * kMs,    500 * kMs,    1 * kSecond, 2 * kSecond,
    5 * kSecond, 10 * kSecond, 20 * kSecond, 30 * kSecond, 1 * kMinute, 2 * kMinute,
    5 * kMinute, 10 * kMinute, 20 * kMinute, 30 * kMinute, 1 * kHour,   2 * kHour,
    4 * kHour,   8 * kHour,    12 * kHour,   1 * kDay,     2 * kDay,    5 * kDay,
    10 * kDay,   30 * kDay,    100 * kDay,   1000 * kDay,  INT64_MAX,
};

std::size_t edge_below(std::int64_t value) {
  return static_cast<std::size_t>(std::upper_bound(std::begin(kEdges), std::end(kEdges), value) -
                                  std::begin(kEdges)) -
         1;
}

// Fills in the number of values in each bar.
void count_values(std::span<const std::int64_t> sorted, std::vector<Bar>& bars) {
  auto from = sorted.begin();
  for (Bar& bar : bars) {
    const auto to =
        &bar == &bars.back() ? sorted.end() : std::lower_bound(from, sorted.end(), bar.to_ns);
    bar.count = static_cast<std::uint64_t>(to - from);
    from = to;
  }
}

}  // namespace

std::int64_t quantile(std::span<const std::int64_t> sorted, double q) {
  if (sorted.empty()) return 0;
  const double rank = std::ceil(q * static_cast<double>(sorted.size()));
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return sorted[std::min(index, sorted.size() - 1)];
}

std::vector<Bar> round_bars(std::span<const std::int64_t> sorted, std::size_t most) {
  if (sorted.empty()) return {};
  const std::size_t low = edge_below(sorted.front());
  const std::size_t high = std::min(edge_below(sorted.back()), std::size(kEdges) - 2);
  const std::size_t group = (high - low + most) / most;
  std::vector<Bar> bars;
  for (std::size_t i = low; i <= high; i += group) {
    bars.push_back({kEdges[i], kEdges[std::min(i + group, std::size(kEdges) - 1)], 0});
  }
  count_values(sorted, bars);
  return bars;
}

std::vector<Bar> even_bars(std::span<const std::int64_t> sorted, std::size_t count) {
  if (sorted.empty() || count == 0) return {};
  const double low = std::log(static_cast<double>(std::max<std::int64_t>(sorted.front(), kMs)));
  const double high = std::log(static_cast<double>(std::max<std::int64_t>(sorted.back(), kMs + 1)));
  std::vector<Bar> bars(count);
  std::int64_t from = sorted.front();
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i + 1) / static_cast<double>(count);
    const auto edge = static_cast<std::int64_t>(std::exp(low + (high - low) * share));
    bars[i].from_ns = from;
    bars[i].to_ns = from = std::clamp(edge, from, sorted.back());
  }
  bars.back().to_ns = sorted.back();
  count_values(sorted, bars);
  return bars;
}

}  // namespace atmost::report
