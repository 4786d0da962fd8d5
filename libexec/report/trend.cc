#include "trend.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace atmost::report {
namespace {

constexpr std::size_t kFewest = 8;
constexpr std::size_t kParts = 16;
constexpr double kSignificant = 1.96;  // standard deviations: 5 %, both sides
constexpr double kWorthTelling = 1.05;

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The logarithm of each part's median.
std::vector<double> levels(std::span<const std::int64_t> times) {
  const std::size_t parts = std::min(kParts, times.size());
  std::vector<double> to;
  std::vector<double> part;
  for (std::size_t i = 0; i < parts; ++i) {
    part.clear();
    for (std::size_t at = times.size() * i / parts; at < times.size() * (i + 1) / parts; ++at) {
      part.push_back(std::log(static_cast<double>(std::max<std::int64_t>(times[at], 1))));
    }
    to.push_back(median(part));
  }
  return to;
}

}  // namespace

Trend trend_of(std::span<const std::int64_t> times) {
  if (times.size() < kFewest) return {};
  const std::vector<double> level = levels(times);
  const auto n = static_cast<double>(level.size());
  std::vector<double> slopes;
  double sign = 0;
  for (std::size_t i = 0; i < level.size(); ++i) {
    for (std::size_t j = i + 1; j < level.size(); ++j) {
      const double rise = level[j] - level[i];
      slopes.push_back(rise / static_cast<double>(j - i));
      sign += rise > 0 ? 1 : rise < 0 ? -1 : 0;
    }
  }
  Trend trend;
  trend.ratio = std::exp(median(slopes) * (n - 1));
  const double deviation = std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  const bool significant = (std::abs(sign) - 1) / deviation > kSignificant;
  trend.course = Course::steady;
  if (significant && trend.ratio >= kWorthTelling) trend.course = Course::rising;
  if (significant && trend.ratio <= 1 / kWorthTelling) trend.course = Course::falling;
  return trend;
}

}  // namespace atmost::report
