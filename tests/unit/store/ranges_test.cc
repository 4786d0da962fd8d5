#include "store/local/slots.h"

#include <gtest/gtest.h>

#include <set>

#include "lock_kit.h"

namespace atmost::local {
namespace {

class Ranges : public ::testing::Test {
 protected:
  std::string first(std::int64_t low, std::int64_t end) {
    if (first_locked(ours_.fd(), low, end, run_) != 0) return "error";
    return run_.found ? std::to_string(run_.start) + "-" + std::to_string(run_.end) : "none";
  }
  std::string last(std::int64_t low, std::int64_t end) {
    if (last_locked(ours_.fd(), low, end, run_) != 0) return "error";
    return run_.found ? "end " + std::to_string(run_.end) : "none";
  }

  Directory directory_;
  Outsider ours_{directory_.path()};
  Outsider theirs_{directory_.path()};

 private:
  local::Run run_;
};

TEST_F(Ranges, NothingIsLocked) {
  EXPECT_EQ(first(0, 1000), "none");
  EXPECT_EQ(last(0, 1000), "none");
  EXPECT_EQ(first(0, 0), "none");
  EXPECT_EQ(last(0, 0), "none");
  ASSERT_TRUE(ours_.lock(5, 10));
  EXPECT_EQ(first(0, 1000), "none");  // our own do not count
}

TEST_F(Ranges, RunsAreClipped) {
  ASSERT_TRUE(theirs_.lock(100, 50));
  EXPECT_EQ(first(0, 1000), "100-150");
  EXPECT_EQ(first(120, 130), "120-130");
  EXPECT_EQ(last(0, 1000), "end 150");
  EXPECT_EQ(last(0, 120), "end 120");
  EXPECT_EQ(first(150, 1000), "none");
  EXPECT_EQ(last(0, 100), "none");
  ASSERT_TRUE(theirs_.lock(2000, 0));  // to the end of all bytes
  EXPECT_EQ(first(1000, 3000), "2000-3000");
}

// The kernel names the conflict that was locked first, wherever it lies.
TEST_F(Ranges, TheLeftMostAndRightMostWhateverTheOrderOfLocking) {
  for (std::int64_t at : {500, 100, 900, 300, 700}) ASSERT_TRUE(theirs_.lock(at, 3));
  Outsider other(directory_.path());
  for (std::int64_t at : {50, 950}) ASSERT_TRUE(other.lock(at));
  EXPECT_EQ(first(0, 1000), "50-51");
  EXPECT_EQ(first(51, 1000), "100-103");
  EXPECT_EQ(first(103, 1000), "300-303");
  EXPECT_EQ(last(0, 1000), "end 951");
  EXPECT_EQ(last(0, 950), "end 903");
  EXPECT_EQ(last(0, 900), "end 703");
}

TEST_F(Ranges, EveryRunIsFoundOneByOne) {
  std::set<std::int64_t> locked;
  std::uint32_t state = 12345;
  for (int i = 0; i < 60; ++i) {
    state = state * 1664525 + 1013904223;
    const std::int64_t at =
        2 * static_cast<std::int64_t>(state >> 16 & 0x1ff);  // even: no two touch
    ASSERT_TRUE(theirs_.lock(at));
    locked.insert(at);
  }
  std::set<std::int64_t> forwards;
  local::Run run;
  for (std::int64_t low = 0; first_locked(ours_.fd(), low, 2000, run) == 0 && run.found;
       low = run.end) {
    EXPECT_EQ(run.end, run.start + 1);
    forwards.insert(run.start);
  }
  EXPECT_EQ(forwards, locked);
  std::set<std::int64_t> backwards;
  for (std::int64_t end = 2000; last_locked(ours_.fd(), 0, end, run) == 0 && run.found;
       end = run.start) {
    backwards.insert(run.start);
  }
  EXPECT_EQ(backwards, locked);
}

TEST_F(Ranges, AFailedQueryIsAnError) {
  local::Run run;
  EXPECT_EQ(first_locked(-1, 0, 10, run), EBADF);
  EXPECT_EQ(last_locked(-1, 0, 10, run), EBADF);
}

}  // namespace
}  // namespace atmost::local
