#include "os/activity.h"

#include <gtest/gtest.h>

namespace atmost::os {
namespace {

IoCounters io(std::int64_t read_bytes, std::int64_t reads, std::int64_t written_bytes = 0,
              std::int64_t writes = 0, std::int64_t storage_bytes = 0) {
  return {read_bytes, written_bytes, reads, writes, storage_bytes};
}

TEST(Activity, ReadsTheCounters) {
  IoCounters to;
  ASSERT_TRUE(parse_process_io(
      "rchar: 6976\nwchar: 12\nsyscr: 10\nsyscw: 3\nread_bytes: 4096\nwrite_bytes: 8192\n"
      "cancelled_write_bytes: 77\n",
      to));
  EXPECT_EQ(to.read_bytes, 6976);
  EXPECT_EQ(to.written_bytes, 12);
  EXPECT_EQ(to.reads, 10);
  EXPECT_EQ(to.writes, 3);
  EXPECT_EQ(to.storage_bytes, 12288);
}

TEST(Activity, RefusesOtherTexts) {
  IoCounters to;
  EXPECT_FALSE(parse_process_io("", to));
  EXPECT_FALSE(parse_process_io("rchar: 6976\nwchar: 12\n", to));
  EXPECT_FALSE(parse_process_io(
      "rchar: \nwchar: 1\nsyscr: 1\nsyscw: 1\nread_bytes: 1\nwrite_bytes: 1\n", to));
}

TEST(Activity, WakeUpsAreQuiet) {
  EXPECT_TRUE(is_quiet(io(0, 0)));
  EXPECT_TRUE(is_quiet(io(80, 10)));          // a timerfd
  EXPECT_TRUE(is_quiet(io(80, 20)));          // and again until EAGAIN
  EXPECT_TRUE(is_quiet(io(8, 1, 24, 3)));     // an eventfd, written three times
  EXPECT_TRUE(is_quiet(io(10, 20, 10, 10)));  // a pipe to itself
}

TEST(Activity, DataIsNot) {
  EXPECT_FALSE(is_quiet(io(3, 1)));  // "ok\n"
  EXPECT_FALSE(is_quiet(io(1000, 1)));
  EXPECT_FALSE(is_quiet(io(0, 0, 1, 1)));  // a dot
  EXPECT_FALSE(is_quiet(io(8, 1, 100, 1)));
  EXPECT_FALSE(is_quiet(io(0, 0, 0, 0, 4096)));  // a page fault
}

}  // namespace
}  // namespace atmost::os
