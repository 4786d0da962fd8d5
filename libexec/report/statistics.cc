#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <numeric>
#include <vector>

#include "json/json.h"

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

namespace {

constexpr std::size_t kFewestForTrend = 8;
constexpr std::size_t kParts = 16;
constexpr double kTrendSignificant = 1.96;  // standard deviations: 5 %, both sides
constexpr double kTrendWorthTelling = 1.05;

double median_of(std::vector<double>& values) {
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
    to.push_back(median_of(part));
  }
  return to;
}

}  // namespace

Trend trend_of(std::span<const std::int64_t> times) {
  if (times.size() < kFewestForTrend) return {};
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
  trend.ratio = std::exp(median_of(slopes) * (n - 1));
  const double deviation = std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  const bool significant = (std::abs(sign) - 1) / deviation > kTrendSignificant;
  trend.course = Course::steady;
  if (significant && trend.ratio >= kTrendWorthTelling) trend.course = Course::rising;
  if (significant && trend.ratio <= 1 / kTrendWorthTelling) trend.course = Course::falling;
  return trend;
}

namespace {

constexpr std::size_t kFewest = 6;  // runs on each side of a change
// Standard deviations by which the sum of ranks is off: the largest over all places exceeds this
// rarely by chance (docs/internals/measurements.md, "Changes of level").
constexpr double kSignificant = 4;
// A level that is half as high again is measured as a little less about as often as a little more.
constexpr double kWorthTelling = 1.4;
// So many runs of a long record are enough to find the latest change.
constexpr std::size_t kMost = 20'000;

using Times = std::span<const std::int64_t>;

// The rank of each value among all, from 1; equal values share the mean of their ranks.
std::vector<double> ranks_of(Times times) {
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t one, std::size_t other) { return times[one] < times[other]; });
  std::vector<double> ranks(times.size());
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && times[order[to]] == times[order[from]]) ++to;
    for (std::size_t i = from; i < to; ++i)
      ranks[order[i]] = static_cast<double>(from + to + 1) / 2;
    from = to;
  }
  return ranks;
}

// The place at which the ranks before and behind differ most; 0 if they differ nowhere by more than
// chance.
std::size_t split_of(Times times) {
  if (times.size() < 2 * kFewest) return 0;
  const std::vector<double> ranks = ranks_of(times);
  const auto n = static_cast<double>(times.size());
  double squares = 0;  // of the ranks' distances from their mean: less where many are equal
  for (double rank : ranks) squares += (rank - (n + 1) / 2) * (rank - (n + 1) / 2);
  if (squares <= 0) return 0;
  std::size_t best = 0;
  double most = kSignificant;
  double sum = 0;
  for (std::size_t i = 1; i + kFewest <= times.size(); ++i) {
    sum += ranks[i - 1];
    if (i < kFewest) continue;
    const auto before = static_cast<double>(i);
    const double deviation = std::sqrt(before * (n - before) * squares / (n * (n - 1)));
    const double off = std::abs(sum - before * (n + 1) / 2) / deviation;
    if (off <= most) continue;
    most = off;
    best = i;
  }
  return best;
}

std::int64_t median(Times times) {
  std::vector<std::int64_t> values(times.begin(), times.end());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The places at which parts begin, ascending, added to `to`.
void add_splits(Times times, std::size_t first, std::vector<std::size_t>& to) {
  const std::size_t at = split_of(times);
  if (at == 0) return;
  add_splits(times.first(at), first, to);
  to.push_back(first + at);
  add_splits(times.subspan(at), first + at, to);
}

}  // namespace

LevelChange last_level_change(Times times) {
  const std::size_t skipped = times.size() > kMost ? times.size() - kMost : 0;
  const Times recent = times.subspan(skipped);
  std::vector<std::size_t> starts = {0};
  add_splits(recent, 0, starts);
  for (std::size_t i = starts.size() - 1; i > 0; --i) {
    LevelChange change;
    change.at = skipped + starts[i];
    change.before_ns =
        std::max<std::int64_t>(1, median(recent.subspan(starts[i - 1], starts[i] - starts[i - 1])));
    change.after_ns = std::max<std::int64_t>(1, median(recent.subspan(starts[i])));
    change.ratio = static_cast<double>(change.after_ns) / static_cast<double>(change.before_ns);
    change.found = change.ratio >= kWorthTelling || change.ratio <= 1 / kWorthTelling;
    if (change.found) return change;
  }
  return {};
}

std::string level_words(const LevelChange& change) {
  const std::time_t seconds = change.since_ns / 1'000'000'000;
  struct tm parts = {};
  char day[32] = "";
  if (localtime_r(&seconds, &parts) != nullptr)
    std::strftime(day, sizeof day, "%Y-%m-%d %H:%M", &parts);
  return json::decimal(change.ratio, change.ratio < 1 ? 2 : 1) + " times as long since " + day;
}

}  // namespace atmost::report
