#include "explain/explanation.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace atmost::explain {
namespace {

TEST(Report, EscapesAndCounts) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Report report(ends[1]);
  const std::string name = std::string(5000, 'a') + "\x1b[2J\n";
  report.shown(name).text(" ").hex(0).text(" ").hex(0xfe00).text(" ").number(-7);
  EXPECT_TRUE(report.finish().ok());
  close(ends[1]);
  std::string got(8192, '\0');
  got.resize(static_cast<std::size_t>(read(ends[0], got.data(), got.size())));
  char more[4096];
  for (ssize_t size; (size = read(ends[0], more, sizeof more)) > 0;)
    got.append(more, static_cast<std::size_t>(size));
  close(ends[0]);
  EXPECT_EQ(got, std::string(5000, 'a') + "\\x1B[2J\\n 0x0 0xfe00 -7");
}

TEST(Report, SaysThatNobodyCouldBeTold) {
  const int full = open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full";
  Report report(full);
  report.text("x");
  const Status status = report.finish();
  close(full);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::io);
  EXPECT_EQ(status.error().sys, ENOSPC);
}

TEST(Report, Positions) {
  EXPECT_EQ(position_words(8), "8");
  EXPECT_EQ(position_words(std::int64_t{1} << 41), "2^41");
  EXPECT_EQ(position_words((std::int64_t{1} << 42) + 7), "2^42+7");
  EXPECT_EQ(position_words(INT64_MAX), "2^48+9223090561878065151");
}

}  // namespace
}  // namespace atmost::explain
