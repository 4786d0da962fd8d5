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

// Runs of each atom, none of them beside another.
Trace trace_of(const std::vector<std::vector<std::int64_t>>& atoms) {
  Trace trace;
  trace.atoms = atoms.size();
  for (std::uint32_t atom = 0; atom < atoms.size(); ++atom) {
    for (std::size_t i = 0; i < atoms[atom].size(); ++i) {
      trace.runs.push_back({atom, static_cast<std::int64_t>(i) * 1'000'000 * kSecond,
                            atoms[atom][i] * kSecond, atom, false});
    }
  }
  return trace;
}

constexpr Bounds kBounds = {Duration::seconds(60), Duration::forever(), Duration::seconds(86400)};

Score score(const Trace& trace, const std::string& name, const Bounds& bounds = kBounds,
            const Setting& setting = {}) {
  const LearnedBounds learned = {.high = Duration::forever()};
  for (const auto& rule : all_rules(trace, learned, {3000})) {
    if (rule->name().find(name) == 0)
      return replay(trace, *rule, bounds, setting, [](std::size_t) {});
  }
  ADD_FAILURE() << "no rule " << name;
  return {};
}

TEST(Replay, ALocksFirstFiveRunsAreNotScored) {
  const Score got = score(trace_of({{100, 100, 100, 9000, 100, 100, 100}}), "fixed 1 h");
  EXPECT_EQ(got.runs, 2u);
  EXPECT_EQ(got.kills, 0u);
}

TEST(Replay, LargestSoFar) {
  // Limits: 400 (100 x 4), 400: 3000 is killed at 400, 800, 1600, ends under 3200; then 12000.
  const Score got = score(trace_of({{100, 50, 50, 50, 50, 50, 3000, 100}}), "largest so far");
  EXPECT_EQ(got.runs, 3u);
  EXPECT_EQ(got.kills, 3u);
  EXPECT_EQ(got.killed, 1u);
  EXPECT_EQ(got.most_kills, 3u);
  EXPECT_DOUBLE_EQ(got.per_thousand(), 1000);
  EXPECT_NEAR(got.ratio(), std::cbrt(400.0 * 400.0 * 12000.0) / 50, 1e-9);
}

TEST(Replay, WhatARunTookIsKnownWhenItEnds) {
  Trace trace = trace_of({{100, 100, 100, 100, 100, 100, 1000, 1000}});
  EXPECT_EQ(score(trace, "largest so far").kills, 2u) << "400, 800; then the limit is 4000";
  // The last begins a second after the one before it.
  trace.runs[7].start_ns = trace.runs[6].start_ns + kSecond;
  EXPECT_EQ(score(trace, "largest so far").kills, 4u);
}

TEST(Replay, TheLongestLimitStopsWhatIsLonger) {
  const Score got = score(trace_of({{10, 10, 10, 10, 10, 80000, 10}}), "fixed 4 h",
                          {Duration::seconds(60), Duration::seconds(7200), {}});
  EXPECT_EQ(got.kills, 1u) << "and is not tried again";
  EXPECT_EQ(got.unlimited, 2u) << "the longest limit is as none";
}

TEST(Replay, TheOracleKillsNone) {
  const Score got =
      score(trace_of({{10, 80000, 10, 1, 1, 1, 1}, {1, 2, 300, 4, 1, 1, 1}}), "largest ever");
  EXPECT_EQ(got.kills, 0u);
  EXPECT_EQ(got.runs, 4u);
}

TEST(Replay, MediansBelowASecondAreSeen) {
  Trace trace = trace_of({{1, 1, 1, 1, 1, 1}});
  for (auto& run : trace.runs) run.ran_ns = kSecond / 100;
  EXPECT_NEAR(score(trace, "fixed 1 h").ratio(), 360'000, 1e-6);
}

TEST(Replay, AHangIsNoWrongKill) {
  Trace trace = trace_of({{10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 80000, 10}});
  trace.runs[10].cut_short = true;
  const Score got = score(trace, "fixed 1 h");
  EXPECT_EQ(got.runs, 6u);
  EXPECT_EQ(got.kills, 0u);
  EXPECT_EQ(got.hangs, 1u);
  EXPECT_EQ(got.unnoticed, 0u);
  EXPECT_NEAR(got.notice(), 360, 1e-9);
  trace.runs[10].ran_ns = 3000 * kSecond;
  EXPECT_EQ(score(trace, "fixed 1 h").unnoticed, 1u);
}

TEST(Replay, RunsWithoutALimitAreCounted) {
  Trace trace = trace_of({{10, 10, 10, 10, 10, 10}});
  for (auto& run : trace.runs) run.start_ns = 0;
  const Score got = score(trace, "auto");
  EXPECT_EQ(got.unlimited, 1u) << "none had ended when the sixth began";
  EXPECT_NEAR(got.ratio(), 8640, 1e-9);
}

TEST(Replay, AKilledRunNeedNotBeRepeated) {
  const Trace trace = trace_of({{100, 50, 50, 50, 50, 50, 3000, 100}});
  const Score got = score(trace, "largest so far", kBounds, {.repeated = false});
  EXPECT_EQ(got.kills, 1u);
  EXPECT_NEAR(got.ratio(), 400.0 / 50, 1e-9) << "nothing was learned of it";
}

// Three runs of 100 s begin at once; with one slot the last ends after 300 s.
TEST(Replay, WithFewSlotsRunsWait) {
  Trace trace = trace_of({{100, 100, 100, 100, 100, 100, 100, 100}});
  for (std::size_t i = 5; i < 8; ++i) trace.runs[i].start_ns = trace.runs[5].start_ns;
  trace.runs[7].ran_ns = 500 * kSecond;
  EXPECT_EQ(score(trace, "largest so far").kills, 1u);
  trace.runs[6].ran_ns = 300 * kSecond;
  EXPECT_EQ(score(trace, "largest so far").kills, 1u) << "the limit of the last was set before";
  EXPECT_EQ(score(trace, "largest so far", kBounds, {.slots = 1}).kills, 0u);
}

// The limit is looked at again when it is reached.
TEST(Replay, OneThatRunsBesideALongerOneGoesOn) {
  std::vector<std::int64_t> lengths(60, 100);
  Trace trace = trace_of({lengths});
  const std::int64_t start = trace.runs[40].start_ns;
  for (std::size_t i = 40; i < 60; ++i) {
    trace.runs[i].start_ns = start + static_cast<std::int64_t>(i) * kSecond;
    trace.runs[i].ran_ns = 2000 * kSecond;
  }
  EXPECT_LE(score(trace, "auto").killed, 2u) << "twenty began together";
}

TEST(Replay, HangsAreMadeUp) {
  const Trace trace = trace_of({std::vector<std::int64_t>(200, 100)});
  const Score got = score(trace, "fixed 1 h", kBounds, {.slots = 1, .hangs = 0.1});
  EXPECT_GE(got.hangs, 5u);
  EXPECT_EQ(got.kills, 0u);
  EXPECT_NEAR(got.notice(), 36, 1e-9);
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
