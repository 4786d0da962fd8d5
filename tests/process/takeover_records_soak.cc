#include <gtest/gtest.h>

#include <random>

#include "takeover_records.h"

namespace witness {
namespace {

TEST(TakeoverRecordsSoak, NoLieMakesASignalGoAstray) {
  const std::string found = fuzz_records(100'000, std::random_device{}());
  if (found == kNoNamespace) GTEST_SKIP() << found;
  EXPECT_EQ(found, "");
}

}  // namespace
}  // namespace witness
