#include "level.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>
#include <vector>

#include "json/json.h"

namespace atmost::report {
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
