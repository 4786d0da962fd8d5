#include "world/draw.h"

#include <gtest/gtest.h>

#include <set>

namespace world {
namespace {

TEST(Draw, IsTheSameForTheSameArgumentsOnly) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (const Purpose purpose :
         {Purpose::scenario, Purpose::caller, Purpose::schedule, Purpose::fault, Purpose::kernel})
      for (int process = kNobody; process < 9; ++process)
        for (std::uint64_t counter = 0; counter < 100; ++counter)
          seen.insert(draw(seed, purpose, process, counter));
  EXPECT_EQ(seen.size(), 10u * 5 * 10 * 100);
  EXPECT_EQ(draw(1, Purpose::fault, 2, 3), draw(1, Purpose::fault, 2, 3));
}

TEST(Draw, BelowIsEven) {
  unsigned counts[10] = {};
  Draws draws(7, Purpose::kernel, 0);
  for (int i = 0; i < 100'000; ++i) ++counts[draws.below(10)];
  for (const unsigned count : counts) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Draw, HappensAsOftenAsTheRateSays) {
  Draws draws(7, Purpose::fault, 1);
  int happened = 0;
  for (int i = 0; i < 1'000'000; ++i) happened += draws.happens(500);
  EXPECT_NEAR(happened, 500, 100);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(draws.happens(0));
    EXPECT_TRUE(draws.happens(1'000'000));
  }
}

}  // namespace
}  // namespace world
