#include "core/stats.h"

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
  EXPECT_EQ(
      risk_words(limited(0.028), bounds).view(),
      "Asked: at most 5 of 1,000 good runs, over all locks of the directory (so far 0 of 7), "
      "and of this lock's more may be: few runs (7) have shown how limits do. 12 runs of this "
      "lock ended by themselves, a limit stopped none.");
  Tuning among_many = limited(0.017);
  among_many.directory_runs = 1000;
  among_many.directory_wrongly = 3;
  EXPECT_EQ(risk_words(among_many, bounds).view(),
            "Asked: at most 5 of 1,000 good runs, over all locks of the directory (so far 3 of "
            "1003), and of this lock's more may be: its runs differ more than those of the others, "
            "of which fewer are stopped. 12 runs of this lock ended by themselves, a limit stopped "
            "none.");
  EXPECT_EQ(risk_words(limited(0.005), bounds).view(),
            "Asked: at most 5 of 1,000 good runs, over all locks of the directory (so far 0 of 7). "
            "12 runs of this lock ended by themselves, a limit stopped none.");
}

TEST(TuningWords, SayOfStoppedRunsWhatIsKnown) {
  const LearnedBounds bounds;
  Tuning tuning = limited(0.001);
  tuning.stopped = 1;
  tuning.unsettled = 1;
  EXPECT_TRUE(risk_words(tuning, bounds)
                  .view()
                  .ends_with("a limit stopped 1: of 1 it is not known yet: later runs will show."));
  tuning.stopped = 4;
  tuning.wrongly = tuning.hung = 1;
  tuning.unsettled = 2;
  EXPECT_TRUE(
      risk_words(tuning, bounds)
          .view()
          .ends_with(
              "a limit stopped 4: 1 wrongly (76.9 of 1,000 good ones), as a later run took as "
              "long; 1 counts "
              "as hung, as later runs did not; of 2 it is not known yet: later runs will show."))
      << risk_words(tuning, bounds).view();
}

}  // namespace
}  // namespace atmost
