// Worlds of the first numbers, as tools/world runs them for hours: each keeps every promise, and is
// the same once more when its events are replayed as a list.
#include <gtest/gtest.h>

#include "world/scenario.h"
#include "world/world.h"

namespace world {
namespace {

std::string broken(const Script& script, const Result& result) {
  return result.breaks.empty() ? "" : print(script) + result.breaks + ": " + result.text;
}

TEST(Worlds, KeepEveryPromise) {
  Counts all;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const Script script = scenario(seed);
    const Result result = run(script, {});
    ASSERT_EQ(broken(script, result), "");
    all.admissions += result.counts.admissions;
    all.kills += result.counts.kills;
    all.freezes += result.counts.freezes;
  }
  EXPECT_GT(all.admissions, 5'000u);
  EXPECT_GT(all.kills, 100u);
  EXPECT_GT(all.freezes, 100u);
}

TEST(Worlds, OfManyCallersKeepEveryPromise) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Script script = scenario(seed, {.callers = 24, .runs = 3});
    ASSERT_EQ(broken(script, run(script, {})), "");
  }
}

TEST(Worlds, AreReplayedFromTheirFile) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Script script = scenario(seed);
    const Result drawn = run(script, {.trace = true});
    script.listed = true;
    script.events = drawn.events;
    Script read;
    ASSERT_FALSE(parse(print(script), read)) << "seed " << seed;
    const Result replayed = run(read, {.trace = true});
    ASSERT_TRUE(drawn.trace == replayed.trace) << "seed " << seed;
    ASSERT_EQ(drawn.counts.calls, replayed.counts.calls);
  }
}

TEST(Worlds, AreTheSameOfFibersAndOfRealProcesses) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Script script = scenario(seed);
    const Result fibers = run(script, {.trace = true});
    const Result processes = run(script, {.real_processes = true, .trace = true});
    ASSERT_EQ(broken(script, processes), "");
    ASSERT_TRUE(fibers.trace == processes.trace) << "seed " << seed;
    ASSERT_EQ(fibers.events, processes.events);
  }
}

}  // namespace
}  // namespace world
