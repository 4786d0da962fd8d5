#include "policy/occasion.h"

#include <gtest/gtest.h>

namespace atmost::policy {
namespace {

Outcome ended(int code) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::ran;
  outcome.status.code = code;
  return outcome;
}

TEST(Occasion, OfEachOutcome) {
  EXPECT_EQ(occasion_of(ended(0)), Occasion::success);
  EXPECT_EQ(occasion_of(ended(1)), Occasion::failure);
  Outcome outcome = ended(0);
  outcome.too_fast = true;
  EXPECT_EQ(occasion_of(outcome), Occasion::too_fast);
  outcome = ended(0);
  outcome.status.signal = 9;
  EXPECT_EQ(occasion_of(outcome), Occasion::killed);
  for (const Stopped stopped : {Stopped::max_runtime, Stopped::taken_over, Stopped::killed}) {
    outcome = ended(0);
    outcome.stopped = stopped;
    EXPECT_EQ(occasion_of(outcome), Occasion::killed);
  }
  outcome.stopped = Stopped::lost;
  EXPECT_EQ(occasion_of(outcome), Occasion::lost);
  outcome = ended(0);
  outcome.lost = true;  // and the command went on
  EXPECT_EQ(occasion_of(outcome), Occasion::lost);
  outcome.kind = Outcome::Kind::failed;
  EXPECT_EQ(occasion_of(outcome), Occasion::failure);
}

TEST(Messages, OfWhichOccasions) {
  Request request;
  request.notify = "true";
  Outcome fast = ended(0);
  fast.too_fast = true;
  const struct {
    unsigned on;
    Outcome outcome;
    std::uint32_t failures;
    bool told;
  } rows[] = {
      {kTellFailure, ended(1), 1, true},    {kTellFailure, fast, 1, true},
      {kTellTooFast, fast, 1, true},        {kTellTooFast, ended(1), 1, false},
      {kTellKilled, ended(1), 1, false},    {kTellFailure, ended(0), 0, false},
      {kTellRecovered, ended(0), 0, false}, {kTellRecovered, ended(0), 1, true},
      {kTellEvery, ended(0), 0, true},      {kTellEvery, ended(1), 1, true},
      {kTellLost, ended(1), 1, false},      {kTellFailure, ended(1), 0, true},
  };
  for (const auto& row : rows) {
    request.notify_on = static_cast<std::uint8_t>(row.on);
    EXPECT_EQ(messages_of(request, row.outcome, row.failures).notify, row.told) << row.on;
  }
  request.notify = {};
  EXPECT_FALSE(messages_of(request, ended(1), 1).notify);
}

TEST(Messages, AlertAfterDelaysFailures) {
  Request request;
  request.notify = "true";
  request.alert_after = 3;
  for (std::uint32_t failures = 1; failures <= 9; ++failures) {
    const Messages messages = messages_of(request, ended(1), failures);
    EXPECT_EQ(messages.notify, failures % 3 == 0);
    EXPECT_EQ(messages.show_output, failures % 3 == 0);
  }
  EXPECT_FALSE(messages_of(request, ended(0), 2).notify);
  EXPECT_EQ(messages_of(request, ended(0), 2).occasion, Occasion::success);
  EXPECT_TRUE(messages_of(request, ended(0), 3).notify);
  EXPECT_EQ(messages_of(request, ended(0), 3).occasion, Occasion::recovered);
  // If nobody counts, every failure is told.
  EXPECT_TRUE(messages_of(request, ended(1), 0).notify);
}

}  // namespace
}  // namespace atmost::policy
