// Each promise about slots, tokens and what is left: events that break it, and events that nearly
// do.
#include "world/witness_kit.h"

namespace world {
namespace {

class Room : public Story {};

TEST_F(Room, NMayBeInside) {
  comes(0, claim(2));
  comes(1, claim(2));
  EXPECT_KEPT();
}

TEST_F(Room, MoreThanNMayNot) {
  comes(0, claim(2));
  comes(1, claim(2));
  comes(2, claim(2));
  EXPECT_BROKEN("room");
}

TEST_F(Room, EachCallerCountsByItsOwnN) {
  comes(0, claim(1));
  comes(1, claim(2));  // may: two in all
  EXPECT_KEPT();
}

TEST_F(Room, ASmallerNIsBrokenByAnyOther) {
  comes(0, claim(2));
  comes(1, claim(1));
  EXPECT_BROKEN("room");
}

// The one with N = 1 dropped the guard first; that its call returned later proves nothing.
TEST_F(Room, CountsWhenTheGuardIsDropped) {
  asks(0, claim(1));
  asks(1, claim(2));
  enters(0);
  enters(1);
  returns(1, 2);
  returns(0, 1);
  EXPECT_KEPT();
}

TEST_F(Room, SeveralSlotsCount) {
  comes(0, claim(3, 2));
  comes(1, claim(3, 2));
  EXPECT_BROKEN("room");
}

TEST_F(Room, AWriterIsAlone) {
  comes(0, in_mode(kShared));
  comes(1, in_mode(kExclusive));
  EXPECT_BROKEN("room");
}

TEST_F(Room, NobodyComesBesideAWriter) {
  comes(0, in_mode(kExclusive));
  comes(1, in_mode(kShared));
  EXPECT_BROKEN("room");
}

TEST_F(Room, ReadersComeTogether) {
  comes(0, in_mode(kShared));
  comes(1, in_mode(kShared));
  EXPECT_KEPT();
}

TEST_F(Room, OneThatReleasesNeedsNoSlot) {
  comes(0, claim(1));
  witness_.releases(now_, 0, kSucceeds);
  comes(1, claim(1));
  EXPECT_KEPT();
}

TEST_F(Room, APausedHolderHolds) {
  comes(0, claim(1));
  witness_.paused(now_, 0, now_ + 60 * kSecondNs);
  comes(1, claim(1));
  EXPECT_BROKEN("room");
}

TEST_F(Room, AChildHoldsWhatItsParentHeld) {
  comes(0, claim(1));
  table_[{7, 1}] = held_by(0, 1);
  witness_.forked(now_, 0, 7);
  EXPECT_KEPT();
  is_killed(0);
  comes(1, claim(1));
  EXPECT_BROKEN("room");
}

TEST_F(Room, AChildHasNoGuard) {
  comes(0, claim(1));
  witness_.forked(now_, 0, 7);
  takes_guard(0);
  EXPECT_KEPT();
  table_[{7, 1}].guard = true;
  drops_guard(0);
  EXPECT_BROKEN("guard");
}

TEST_F(Room, ADyingHolderHoldsWhatTheKernelHasNotFreed) {
  comes(0, claim(1));
  witness_.dying(now_, 0, true);
  comes(1, claim(1));
  EXPECT_BROKEN("room");
}

TEST_F(Room, ADyingHolderHoldsNoMore) {
  comes(0, claim(1));
  witness_.dying(now_, 0, true);
  changes(0, {});
  comes(1, claim(1));
  EXPECT_KEPT();
}

class Held : public Story {};

TEST_F(Held, ByOriginalCallersBesideAWriter) {
  comes(0, in_mode(kExclusive));
  Claim original = claim(2);
  original.kind = kExectimes;
  asks(1, original);
  enters(1);
  EXPECT_KEPT();
}

TEST_F(Held, IsExactlyK) {
  asks(0, claim(3, 2));
  takes_guard(0);
  changes(0, {.guard = true, .slots = 1, .which = 1});
  drops_guard(0);
  EXPECT_BROKEN("held");
}

TEST_F(Held, IsKeptUntilTheRelease) {
  comes(0, claim(1));
  changes(0, {});
  witness_.releases(now_, 0, kSucceeds);
  EXPECT_BROKEN("held");
}

TEST_F(Held, InEveryLockOfSeveral) {
  Claim both = claim(1);
  both.run.also = 2;
  asks(0, both);
  enters(0, 1);
  returns(0, 1);
  EXPECT_BROKEN("held");
}

TEST_F(Held, InBoth) {
  Claim both = claim(1);
  both.run.also = 2;
  asks(0, both);
  enters(0, 2);
  enters(0, 1);
  returns(0, 1);
  EXPECT_KEPT();
}

class Kept : public Story {};

TEST_F(Kept, NoSlotAfterARefusal) {
  asks(0, claim(1));
  changes(0, {.slots = 1, .which = 1});
  witness_.refused(now_, 0, 1, Refusal::other);
  EXPECT_BROKEN("kept");
}

TEST_F(Kept, NoPlaceAfterAnAdmission) {
  asks(0, claim(1));
  enters(0);
  changes(0, {.slots = 1, .which = 1, .places = 1});
  returns(0, 1);
  EXPECT_BROKEN("kept");
}

TEST_F(Kept, NoGuardAfterARelease) {
  comes(0, claim(1));
  witness_.releases(now_, 0, kSucceeds);
  changes(0, {.guard = true});
  witness_.released(now_, 0);
  EXPECT_BROKEN("kept");
}

TEST_F(Kept, NothingAfterAnOrderlyEnd) {
  comes(0, claim(1));
  leaves(0);
  witness_.dying(now_, 0, true);
  witness_.died(now_, 0, 0);
  EXPECT_KEPT();
}

TEST_F(Kept, NoDescriptorAfterTheEnd) {
  witness_.died(now_, 0, 1);
  EXPECT_BROKEN("left");
}

class Tokens : public Story {};

TEST_F(Tokens, RiseFromAReturnToTheNextStart) {
  asks(0, claim(2));
  enters(0);
  returns(0, 7);
  asks(1, claim(2));
  enters(1);
  returns(1, 7);
  EXPECT_BROKEN("token");
}

// Both calls ran at once: either may have been first.
TEST_F(Tokens, OfCallsThatOverlapComeInAnyOrder) {
  asks(0, claim(2));
  asks(1, claim(2));
  enters(0);
  enters(1);
  returns(0, 8);
  returns(1, 7);
  EXPECT_KEPT();
}

TEST_F(Tokens, OfExectimesThereAreNone) {
  comes(0, claim(2));
  Claim original = claim(2);
  original.kind = kExectimes;
  asks(1, original);
  enters(1);
  returns(1, 0);
  EXPECT_KEPT();
}

TEST_F(Tokens, WithoutTheGuardNobodyIsAdmitted) {
  asks(0, claim(1));
  changes(0, {.slots = 1, .which = 1});
  returns(0, 1);
  EXPECT_BROKEN("guard");
}

class Drained : public Story {
 protected:
  void drain(std::uint32_t slot, bool on) {
    witness_.drains(now_, 9, 1, slot, on);
    takes_guard(9);
    drops_guard(9);
    witness_.drained(now_, 9, 1, slot, on);
  }
};

TEST_F(Drained, AdmitsNobody) {
  drain(0, true);
  comes(0, claim(1));
  EXPECT_BROKEN("drained");
}

TEST_F(Drained, AdmitsADecisionThatWasMadeBefore) {
  asks(0, claim(1));
  takes_guard(0);
  witness_.drains(now_, 9, 1, 0, true);
  changes(0, {.guard = true, .slots = 1, .which = 1});
  drops_guard(0);
  takes_guard(9);
  drops_guard(9);
  witness_.drained(now_, 9, 1, 0, true);
  EXPECT_KEPT();
}

TEST_F(Drained, SlotIsLeftAlone) {
  drain(1, true);
  comes(0, claim(2));
  EXPECT_BROKEN("drained");
}

// It takes the lock as a whole, and its byte is that of slot 1.
TEST_F(Drained, SlotDoesNotKeepAWriterOut) {
  drain(1, true);
  comes(0, in_mode(kExclusive));
  EXPECT_KEPT();
}

TEST_F(Drained, SlotsAreResumedWithTheLock) {
  drain(1, true);
  drain(0, false);
  comes(0, claim(1));
  EXPECT_KEPT();
}

TEST_F(Drained, OtherSlotsAreNot) {
  drain(2, true);
  comes(0, claim(2));
  EXPECT_KEPT();
}

TEST_F(Drained, NoMoreFromTheResumptionOn) {
  drain(0, true);
  witness_.drains(now_, 9, 1, 0, false);
  comes(0, claim(1));
  EXPECT_KEPT();
}

}  // namespace
}  // namespace world
