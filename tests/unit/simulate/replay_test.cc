// Scoring, on traces small enough to score by hand.
#include "simulate/replay.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace atmost::simulate {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

Trace trace_of(const std::vector<std::vector<std::int64_t>>& atoms) {
  Trace trace;
  trace.atoms = atoms.size();
  for (std::uint32_t atom = 0; atom < atoms.size(); ++atom) {
    for (std::size_t i = 0; i < atoms[atom].size(); ++i) {
      trace.runs.push_back(
          {atom, static_cast<std::int64_t>(i) * kSecond, atoms[atom][i] * kSecond, atom, false});
    }
  }
  return trace;
}

Score score(const Trace& trace, const std::string& name) {
  for (const auto& rule : all_rules(trace, {}, {3000})) {
    if (rule->name().find(name) == 0) {
      return replay(trace, *rule, Duration::seconds(60), Duration::seconds(86400),
                    [](std::size_t) {});
    }
  }
  ADD_FAILURE() << "no rule " << name;
  return {};
}

TEST(Replay, LargestSoFar) {
  // Limits: 400 (100 x 4), 400: 3000 is killed at 400, 800, 1600, ends under 3200; then 12000.
  const Score got = score(trace_of({{100, 50, 3000, 100}}), "largest so far");
  EXPECT_EQ(got.runs, 3u);
  EXPECT_EQ(got.kills, 3u);
  EXPECT_DOUBLE_EQ(got.per_thousand(), 1000);
  EXPECT_NEAR(got.ratio(), std::cbrt(400.0 * 400.0 * 12000.0) / 100, 1e-9);
}

TEST(Replay, FixedLimitsDoubleUpToNoLimit) {
  const Score got = score(trace_of({{10, 80000, 10}}), "fixed 4 h");
  EXPECT_EQ(got.kills, 3u);  // at 4, 8 and 16 hours; the next is a day: no limit
  EXPECT_NEAR(got.ratio(), 1440, 1e-9);
}

TEST(Replay, TheOracleKillsNone) {
  const Score got = score(trace_of({{10, 80000, 10}, {1, 2, 300, 4}}), "largest ever");
  EXPECT_EQ(got.kills, 0u);
  EXPECT_EQ(got.runs, 5u);
}

TEST(Replay, AnEvenNumberOfRunsHasItsMedianBetweenTwo) {
  EXPECT_NEAR(score(trace_of({{100, 300}}), "fixed 1 h").ratio(), 18, 1e-9);
}

TEST(Replay, WhatWasCutShortDoesNotCount) {
  Trace trace = trace_of({{10, 10, 80000}});
  trace.runs[2].cut_short = true;
  EXPECT_EQ(score(trace, "fixed 1 h").runs, 1u);
  EXPECT_EQ(score(trace, "auto").kills, 0u);
}

TEST(Halves, HoldEveryRunOnce) {
  const Trace trace = trace_of({{1, 2, 3}, {4, 5}, {6, 7, 8, 9}});
  for (Split split : {Split::user, Split::time}) {
    const std::vector<Trace> parts = halves(trace, split);
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].runs.size() + parts[1].runs.size(), trace.runs.size());
  }
  EXPECT_EQ(halves(trace, Split::user)[0].atoms, 2u);
  EXPECT_EQ(with_runs(trace, 3).atoms, 2u);
  EXPECT_EQ(with_runs(trace, 3).runs.size(), 7u);
}

}  // namespace
}  // namespace atmost::simulate
