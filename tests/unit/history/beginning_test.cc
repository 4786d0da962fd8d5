#include "reader/tail.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "os/calls.h"

namespace atmost::history {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kFirst = 1'795'000'000;  // seconds since 1970

std::int64_t bytes_read = 0;
ssize_t counted_pread(int fd, void* to, std::size_t size, off_t at) {
  const ssize_t got = ::pread(fd, to, size, at);
  bytes_read += got > 0 ? got : 0;
  return got;
}

class Beginning : public testing::Test {
 protected:
  void SetUp() override {
    file_ = std::tmpfile();
    ASSERT_NE(file_, nullptr);
    saved_ = os::calls.pread;
    os::calls.pread = counted_pread;
    bytes_read = 0;
  }
  void TearDown() override {
    os::calls.pread = saved_;
    std::fclose(file_);
  }
  // A line of about 330 bytes; returns where it begins.
  std::int64_t line(double at) {
    std::fprintf(file_,
                 "{\"v\":1,\"event\":\"denied\",\"at\":%.6f,\"lock\":\"a\",\"id\":\"%0250d\"}\n",
                 static_cast<double>(kFirst) + at, 0);
    const std::int64_t begun = size_;
    size_ = std::ftell(file_);
    return begun;
  }
  std::int64_t find(double since) {
    std::fflush(file_);
    return find_beginning(fileno(file_), size_,
                          kFirst * kSecond + static_cast<std::int64_t>(since * 1e9));
  }

  std::FILE* file_ = nullptr;
  std::int64_t size_ = 0;
  ssize_t (*saved_)(int, void*, std::size_t, off_t) = nullptr;
};

TEST_F(Beginning, IsFoundByReadingLittle) {
  std::int64_t wanted = 0;
  std::int64_t minute_before = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::int64_t begun = line(i);
    if (i == 70'000) wanted = begun;
    if (i == 70'000 - 60) minute_before = begun;
  }
  const std::int64_t found = find(70'000);
  EXPECT_LE(found, minute_before);
  EXPECT_GT(found, wanted - 200'000);
  EXPECT_LT(bytes_read, 700'000);
}

TEST_F(Beginning, IsThatOfTheFileForAllOfItAndItsEndForNothing) {
  for (int i = 0; i < 10'000; ++i) line(i);
  EXPECT_EQ(find(-1), 0);
  EXPECT_EQ(find_beginning(fileno(file_), size_, INT64_MIN), 0);
  EXPECT_GT(find(20'000), size_ - 100'000);
}

TEST_F(Beginning, IsBeforeEachWantedLineThatWasWrittenLate) {
  std::int64_t first = -1;
  for (int i = 0; i < 50'000; ++i) {
    // One line of a hundred is written half a minute late.
    const double at = i % 100 == 0 ? i * 0.1 - 30 : i * 0.1;
    const std::int64_t begun = line(at);
    if (at >= 2500 && first < 0) first = begun;
  }
  EXPECT_LE(find(2500), first);
}

TEST_F(Beginning, IsBeforeSomeLinesOfAClockThatWasSetBack) {
  std::int64_t first = -1;
  for (int i = 0; i < 50'000; ++i) {
    // Again and again the clock was a day late for a while.
    const double at = i - (i % 200 < 100 ? 86'400 : 0);
    const std::int64_t begun = line(at);
    if (at >= 23'000 && first < 0) first = begun;
  }
  EXPECT_LE(find(23'000), first);
}

TEST_F(Beginning, IsFoundBesideLinesOfOthers) {
  std::int64_t wanted = 0;
  for (int i = 0; i < 50'000; ++i) {
    if (i % 3 == 0) {
      std::fputs("torn {\"v\":1,\n\n", file_);
      size_ = std::ftell(file_);
    }
    const std::int64_t begun = line(i);
    if (i == 30'000) wanted = begun;
  }
  const std::int64_t found = find(30'000);
  EXPECT_LE(found, wanted);
  EXPECT_GT(found, wanted - 200'000);
}

}  // namespace
}  // namespace atmost::history
