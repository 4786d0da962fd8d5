#include "core/tuning.h"

#include <gtest/gtest.h>

namespace atmost {
namespace {

Tuning limited(double chance) {
  Tuning tuning;
  tuning.completed = 12;
  tuning.half = Duration::seconds(1);
  tuning.limits.max_runtime = Duration::seconds(4);
  tuning.chance = chance;
  tuning.directory_runs = 7;
  return tuning;
}

TEST(TuningWords, SayWhyALockIsAboveTheRiskThatWasAsked) {
  const LearnedBounds bounds;
  EXPECT_EQ(limit_words(limited(0.028), bounds).view(),
            "auto stops a run that takes longer than 4s: of 1,000 good runs of this lock about 28 "
            "would be stopped.");
  EXPECT_EQ(risk_words(limited(0.028), bounds).view(),
            "Asked: at most 5 of 1,000 good runs of the directory; of this lock's it may be more, "
            "as few runs (7) have shown how limits do. Of this lock's 12, none was stopped.");
  Tuning among_many = limited(0.028);
  among_many.directory_runs = 1000;
  EXPECT_EQ(risk_words(among_many, bounds).view(),
            "Asked: at most 5 of 1,000 good runs of the directory; of this lock's it may be more, "
            "as its runs differ more than others. Of this lock's 12, none was stopped.");
  EXPECT_EQ(risk_words(limited(0.005), bounds).view(),
            "Asked: at most 5 of 1,000 good runs of the directory. Of this lock's 12, none was "
            "stopped.");
}

}  // namespace
}  // namespace atmost
