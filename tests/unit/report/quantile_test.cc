#include "statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace atmost::report {
namespace {

// The definition, word for word: the least value that at least q of all do not exceed.
std::int64_t naive(const std::vector<std::int64_t>& values, double q) {
  std::int64_t best = INT64_MAX;
  for (std::int64_t candidate : values) {
    const auto below =
        std::count_if(values.begin(), values.end(), [=](std::int64_t v) { return v <= candidate; });
    if (static_cast<double>(below) >= q * static_cast<double>(values.size()))
      best = std::min(best, candidate);
  }
  return best;
}

TEST(Quantile, IsWhatItsDefinitionSays) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int64_t> values(1 + random() % 120);
    for (std::int64_t& value : values) value = static_cast<std::int64_t>(random() % 50);
    const std::vector<std::int64_t> shuffled = values;
    std::sort(values.begin(), values.end());
    for (double q : {0.0, 0.01, 0.5, 0.9, 0.99, 1.0})
      EXPECT_EQ(quantile(values, q), naive(shuffled, q)) << q;
  }
}

TEST(Quantile, OfNothingIsNothing) { EXPECT_EQ(quantile({}, 0.5), 0); }

TEST(Bars, HoldEveryValueOnce) {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> spread(20, 4);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> values(1 + random() % 60);
    for (std::int64_t& value : values) value = static_cast<std::int64_t>(spread(random));
    if (round % 5 == 0) values.assign(values.size(), values[0]);
    std::sort(values.begin(), values.end());
    for (const std::vector<Bar>& bars :
         {round_bars(values, 4), round_bars(values, 24), even_bars(values, 17)}) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < bars.size(); ++i) {
        sum += bars[i].count;
        EXPECT_LE(bars[i].from_ns, bars[i].to_ns);
        EXPECT_EQ(bars[i].from_ns, i == 0 ? bars[0].from_ns : bars[i - 1].to_ns);
      }
      EXPECT_EQ(sum, values.size());
      EXPECT_LE(bars.front().from_ns, values.front());
      EXPECT_GE(bars.back().to_ns, values.back());
    }
    EXPECT_LE(round_bars(values, 4).size(), 4u);
    EXPECT_EQ(even_bars(values, 17).size(), 17u);
  }
}

TEST(Bars, CountWhatLiesBetweenTheirEdges) {
  std::vector<std::int64_t> values(1000);
  std::iota(values.begin(), values.end(), 0);
  for (std::int64_t& value : values) value *= 1'000'000;  // 0 to 999 ms
  for (const Bar& bar : round_bars(values, 40)) {
    const auto inside = std::count_if(values.begin(), values.end(), [&](std::int64_t v) {
      return v >= bar.from_ns && v < bar.to_ns;
    });
    EXPECT_EQ(bar.count, static_cast<std::uint64_t>(inside)) << bar.from_ns;
  }
}

}  // namespace
}  // namespace atmost::report
