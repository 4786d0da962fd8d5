#include <gtest/gtest.h>

#include "takeover_records.h"

namespace witness {
namespace {

TEST(TakeoverRecords, NoLieMakesASignalGoAstray) {
  const std::string found = fuzz_records(1500, 1);
  if (found == kNoNamespace) GTEST_SKIP() << found;
  EXPECT_EQ(found, "");
}

TEST(TakeoverRecords, WhoCameIntoTheSlotLaterIsNobodysVictim) { EXPECT_EQ(change_hands(), ""); }

TEST(TakeoverRecords, TheStrangerWithARecycledPidLives) {
  const std::string found = recycle_pids(1000);
  if (found == kNoNamespace) GTEST_SKIP() << found;
  EXPECT_EQ(found, "");
}

}  // namespace
}  // namespace witness
