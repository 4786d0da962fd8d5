// The memory of a lock, apart from admissions.
#include "rule/state.h"

#include <gtest/gtest.h>

#include "rule/table_kit.h"

namespace atmost::rule {
namespace {

TEST(State, ARunThatDidNotStartIsForgotten) {
  State state;
  state.token = 7;
  state.last.start = stamp_of(kNow);
  state.recorded = 3;
  const Held held = {7, seconds_ago(90), 2};
  EXPECT_TRUE(finish(state, held, Ending::not_started, kNow));
  EXPECT_EQ(age_ns(state.last.start, kNow), 90 * kSecond);
  EXPECT_EQ(state.recorded, 2u);
}

TEST(State, WhatWasForgottenSinceStaysSo) {
  State state;
  state.token = 7;
  (void)edit(state, {.what = Edit::What::forget});
  EXPECT_FALSE(finish(state, {7, seconds_ago(90), 2}, Ending::not_started, kNow));
  EXPECT_FALSE(state.last.start.known);
  EXPECT_EQ(state.recorded, 0u);
}

TEST(State, ALaterAdmissionStaysTheLast) {
  State state;
  state.token = 8;
  state.last.start = stamp_of(kNow);
  EXPECT_FALSE(finish(state, {7, seconds_ago(90), 0}, Ending::not_started, kNow));
  EXPECT_EQ(age_ns(state.last.start, kNow), 0);
}

TEST(State, TheRunThatEndedLastIsTheLast) {
  State state;
  EXPECT_TRUE(finish(state, {}, Ending::success, after(5)));
  EXPECT_TRUE(finish(state, {}, Ending::failure, after(3)));
  EXPECT_EQ(state.last.finish.boot_ns, after(5).boot_ns);
  EXPECT_TRUE(finish(state, {}, Ending::failure, after(9)));
  EXPECT_EQ(state.last.finish.boot_ns, after(9).boot_ns);
  EXPECT_EQ(state.last.success.boot_ns, after(5).boot_ns);
  EXPECT_FALSE(finish(state, {}, Ending::unknown, after(11)));
}

TEST(State, CountsInARow) {
  const Edit refusal = {.what = Edit::What::refusal};
  const Edit good = {.what = Edit::What::end};
  const Edit failed = {.what = Edit::What::end, .failed = true};
  State state;
  EXPECT_EQ(edit(state, refusal), 1u);
  EXPECT_EQ(edit(state, refusal), 2u);
  EXPECT_EQ(edit(state, failed), 1u);
  EXPECT_EQ(edit(state, failed), 2u);
  EXPECT_EQ(edit(state, good), 2u);
  EXPECT_EQ(edit(state, good), 0u);
  state.refusals = state.failures = UINT32_MAX;
  EXPECT_EQ(edit(state, refusal), UINT32_MAX);
  EXPECT_EQ(edit(state, failed), UINT32_MAX);
}

TEST(State, TokensAreGreaterThanAllEarlierOnes) {
  State state;
  const std::uint64_t by_clock = next_token(state, kNow);
  state.token = by_clock;
  EXPECT_EQ(next_token(state, kNow), by_clock + 1);
  state.token_floor = by_clock + 40;
  EXPECT_EQ(next_token(state, kNow), by_clock + 41);
}

TEST(State, ForgetsAdmissions) {
  State state;
  state.token = 7;
  state.drained = true;
  state.last.success = stamp_of(kNow);
  state.recorded = 3;
  (void)edit(state, {.what = Edit::What::forget});
  EXPECT_FALSE(state.last.success.known);
  EXPECT_EQ(state.recorded, 0u);
  EXPECT_EQ(state.token, 7u);
  EXPECT_TRUE(state.drained);
}

TEST(State, AMomentAheadOfTheClockCountsFromNow) {
  Stamp ahead = stamp_of(after(5));
  EXPECT_TRUE(mended(ahead, kNow));
  EXPECT_EQ(age_ns(ahead, kNow), 0);
  EXPECT_FALSE(mended(ahead, kNow));
  Stamp unknown;
  EXPECT_FALSE(mended(unknown, kNow));
}

}  // namespace
}  // namespace atmost::rule
