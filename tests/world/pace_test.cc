// Rates and intervals: broken by one nanosecond, and not.
#include "world/pace.h"

#include "world/witness_kit.h"

namespace world {
namespace {

class Pacing : public Story {
 protected:
  static Claim rated(std::int64_t count) {
    Claim made = claim(9);
    made.run.rate = count;
    made.run.window_ns = 300 * kMs;
    return made;
  }
  static Claim spaced(ElapsedFrom from) {
    Claim made = claim(9);
    made.run.if_elapsed_ns = 300 * kMs;
    made.run.elapsed_from = from;
    return made;
  }
};

TEST_F(Pacing, TooManyInTheWindow) {
  comes(0, rated(2));
  comes(1, rated(2));
  after(300 * kMs - 1);
  comes(2, rated(2));
  EXPECT_BROKEN("pace");
}

TEST_F(Pacing, WhenTheFirstHasLeftTheWindow) {
  comes(0, rated(2));
  comes(1, rated(2));
  after(300 * kMs);
  comes(2, rated(2));
  EXPECT_KEPT();
}

// The start may be as late as the drop of the guard, the next decision as early as its taking.
TEST_F(Pacing, BetweenGuardTakenAndDroppedAnyMomentIsPossible) {
  asks(0, rated(1));
  takes_guard(0);
  witness_.paused(now_, 0, now_ + 200 * kMs);
  after(200 * kMs);
  runs(0);
  after(100 * kMs);
  comes(1, rated(1));
  EXPECT_KEPT();
}

TEST_F(Pacing, CallersWithoutARateCount) {
  comes(0, rated(2));
  comes(1, claim(9));
  comes(2, rated(2));
  EXPECT_BROKEN("pace");
}

// Single admissions are recorded from the first caller with a rate on, with the last one before.
TEST_F(Pacing, AdmissionsBeforeTheFirstRateAreNotRecorded) {
  comes(0, claim(9));
  comes(1, claim(9));
  comes(2, rated(3));
  comes(3, rated(3));
  EXPECT_KEPT();
  comes(4, rated(3));
  EXPECT_BROKEN("pace");
}

TEST_F(Pacing, OriginalCallersAreNotRecorded) {
  Claim original = claim(9);
  original.kind = kExectimes;
  comes(0, rated(1));
  after(300 * kMs);
  comes(1, original);
  comes(2, rated(1));
  EXPECT_KEPT();
}

TEST_F(Pacing, TooSoonAfterTheStart) {
  comes(0, claim(9));
  after(300 * kMs - 1);
  comes(1, spaced(kStart));
  EXPECT_BROKEN("pace");
}

TEST_F(Pacing, IsOverWithTheInterval) {
  comes(0, claim(9));
  after(300 * kMs);
  comes(1, spaced(kStart));
  EXPECT_KEPT();
}

TEST_F(Pacing, TooSoonAfterTheFinish) {
  comes(0, claim(9));
  after(kSecondNs);
  leaves(0, kFails);
  after(300 * kMs - 1);
  comes(1, spaced(kFinish));
  EXPECT_BROKEN("pace");
}

TEST_F(Pacing, AFailureIsNoSuccess) {
  comes(0, claim(9));
  after(kSecondNs);
  leaves(0, kFails);
  comes(1, spaced(kSuccess));
  EXPECT_KEPT();
}

TEST_F(Pacing, ASuccessIs) {
  comes(0, claim(9));
  after(kSecondNs);
  leaves(0, kSucceeds);
  comes(1, spaced(kSuccess));
  EXPECT_BROKEN("pace");
}

// Its holder could not have the guard: documented to record no finish.
TEST_F(Pacing, AReleaseWithoutTheGuardRecordsNothing) {
  comes(0, claim(9));
  after(kSecondNs);
  witness_.releases(now_, 0, kSucceeds);
  changes(0, {});
  witness_.released(now_, 0);
  comes(1, spaced(kFinish));
  EXPECT_KEPT();
}

TEST_F(Pacing, ACommandThatWasNotStartedNeedNotCount) {
  comes(0, claim(9));
  leaves(0, kNotStarted);
  comes(1, spaced(kStart));
  comes(2, spaced(kFinish));
  EXPECT_KEPT();
}

TEST_F(Pacing, OneThatCameMeanwhileCounts) {
  comes(0, claim(9));
  comes(1, claim(9));
  leaves(0, kNotStarted);
  comes(2, spaced(kStart));
  EXPECT_BROKEN("pace");
}

// Two that end at once may record their ends in either order: the later end counts.
TEST_F(Pacing, TheLaterOfTwoEndsCounts) {
  comes(0, claim(9));
  comes(1, claim(9));
  witness_.releases(now_, 0, kSucceeds);
  after(200 * kMs);
  leaves(1, kSucceeds);
  takes_guard(0);
  changes(0, {});
  witness_.released(now_, 0);
  after(299 * kMs);
  comes(2, spaced(kFinish));
  EXPECT_BROKEN("pace");
}

}  // namespace
}  // namespace world
