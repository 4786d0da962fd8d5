// The witness itself: it must see every excess and cry at nothing that is right.
#include "witness_log.h"

#include <gtest/gtest.h>

namespace witness {
namespace {

Record at(char kind, std::int32_t pid, std::uint32_t slot = 0, std::uint8_t weight = 1) {
  Record record;
  record.kind = kind;
  record.pid = pid;
  record.slot = slot;
  record.weight = weight;
  record.limit = 4;
  return record;
}

TEST(Replay, CountsThoseInsideAtOnce) {
  Replay replay;
  for (const Record& record :
       {at('+', 1), at('+', 2), at('-', 1), at('+', 3), at('-', 2), at('-', 3)}) {
    replay.feed(record);
  }
  EXPECT_EQ(replay.most_inside(), 2u);
  EXPECT_EQ(replay.inside(), 0u);
  EXPECT_EQ(replay.admissions(), 3u);
  EXPECT_TRUE(replay.contradictions().empty());
}

TEST(Replay, CountsWeights) {
  Replay replay;
  replay.feed(at('+', 1, 1, 3));
  replay.feed(at('+', 2, 4, 2));
  EXPECT_EQ(replay.most_inside(), 5u);
}

TEST(Replay, AKilledProcessCountsUntilItWasCondemnedOnly) {
  Replay replay;
  replay.feed(at('+', 1));
  replay.feed(at('k', 1));
  replay.feed(at('+', 2));  // the kernel freed the slot before the driver saw the death
  replay.feed(at('x', 1));
  EXPECT_EQ(replay.most_inside(), 1u);
  EXPECT_EQ(replay.inside(), 1u);
  EXPECT_EQ(replay.killed_inside(), 1u);
}

TEST(Replay, AProcessCondemnedOnItsWayInDoesNotCount) {
  Replay replay;
  replay.feed(at('k', 1));
  replay.feed(at('+', 1));
  replay.feed(at('+', 2));
  replay.feed(at('x', 1));
  EXPECT_EQ(replay.most_inside(), 1u);
}

TEST(Replay, ADeathThatConcernsNobodyInsideChangesNothingForALaterProcessOfThatNumber) {
  Replay replay;
  replay.feed(at('k', 1));
  replay.feed(at('x', 1));
  replay.feed(at('+', 1));
  EXPECT_EQ(replay.inside(), 1u);
}

TEST(Replay, SeesTwoInOneSlot) {
  Replay replay;
  replay.feed(at('+', 1, 2));
  replay.feed(at('+', 2, 2));
  EXPECT_EQ(replay.contradictions().size(), 1u);
}

TEST(Replay, SeesASlotAboveTheLimit) {
  Replay replay;
  replay.feed(at('+', 1, 5));
  EXPECT_EQ(replay.contradictions().size(), 1u);
}

TEST(Replay, SeesATokenGivenTwice) {
  Replay replay;
  Record first = at('+', 1);
  first.token = 7;
  Record second = at('+', 2);
  second.token = 7;
  replay.feed(first);
  replay.feed(second);
  EXPECT_EQ(replay.contradictions().size(), 1u);
}

TEST(Replay, SeesAnEndWithoutABegin) {
  Replay replay;
  replay.feed(at('-', 1));
  EXPECT_EQ(replay.contradictions().size(), 1u);
}

}  // namespace
}  // namespace witness
