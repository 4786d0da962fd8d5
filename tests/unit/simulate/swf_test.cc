#include "simulate/trace.h"

#include <gtest/gtest.h>

#include <string>

namespace atmost::simulate {
namespace {

TEST(Swf, AJobIsEighteenNumbers) {
  Job job;
  ASSERT_EQ(
      read_swf("   57    25574    30     10.5    1  -1 -1 -1 -1 -1 -1   4   1   2 -1 -1 -1 -1",
               job),
      Swf::job);
  EXPECT_EQ(job.start_ns, 25604'000'000'000);
  EXPECT_EQ(job.ran_ns, 10'500'000'000);
  EXPECT_EQ(job.user, 4);
  EXPECT_EQ(job.program, 2);
}

TEST(Swf, WhatIsNotKnownIsMinusOne) {
  Job job;
  ASSERT_EQ(read_swf("1\t0\t-1\t-1\t1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\r", job), Swf::job);
  EXPECT_EQ(job.start_ns, 0);
  EXPECT_LT(job.ran_ns, 0);
}

TEST(Swf, CommentsAndBlankLinesAreNone) {
  Job job;
  for (const char* line : {"", "   ", "; Version: 2.2", "  ;", ";1 2 3"})
    EXPECT_EQ(read_swf(line, job), Swf::comment) << line;
}

TEST(Swf, EverythingElseIsWrong) {
  Job job;
  const std::string rest = " 1 -1 -1 -1 -1 -1 -1 4 1 2 -1 -1 -1 -1";
  for (const char* start : {"1 2 3", "1 x 3 4", "1 2 3 4x", "1 2 3 1e9", "1 2 3 .", "1 2 3 --4",
                            "1 2 3 4..5", "1 2 3 0x4", "1 -2 -1 4", "1 2 3 99999999999999",
                            "1 2 3 1234567890123456", "1 2 3 nan", "1 2 3 inf"}) {
    EXPECT_EQ(read_swf(start + rest, job), Swf::wrong) << start;
  }
  EXPECT_EQ(read_swf("1 2 3 4", job), Swf::wrong);
}

}  // namespace
}  // namespace atmost::simulate
