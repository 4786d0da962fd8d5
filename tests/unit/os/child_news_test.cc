#include <gtest/gtest.h>
#include <signal.h>

#include "os/spawn.h"

namespace atmost::os {
namespace {

using Change = ChildNews::Change;

ChildNews news_of(int wait_status) {
  ChildNews news;
  news.read_status(wait_status);
  return news;
}

// wait(2)'s layout on Linux: code in bits 8 to 15, signal in bits 0 to 6, bit 7 for a core, 0x7f a
// stop, 0xffff continued.
TEST(ChildNews, Codes) {
  for (int code = 0; code < 256; ++code) {
    ASSERT_EQ(news_of(code << 8).change, Change::ended);
    const ExitStatus status = news_of(code << 8).end;
    EXPECT_EQ(status.code, code);
    EXPECT_EQ(status.signal, 0);
    EXPECT_FALSE(status.core_dumped);
    EXPECT_EQ(status.success(), code == 0);
  }
}

TEST(ChildNews, Signals) {
  for (int signal = 1; signal <= 64; ++signal) {
    for (const int core : {0, 0x80}) {
      ASSERT_EQ(news_of(signal | core).change, Change::ended);
      const ExitStatus status = news_of(signal | core).end;
      EXPECT_EQ(status.code, 0);
      EXPECT_EQ(status.signal, signal);
      EXPECT_EQ(status.core_dumped, core != 0);
      EXPECT_FALSE(status.success());
    }
  }
}

TEST(ChildNews, StopsAndContinuations) {
  for (const int signal : {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU}) {
    ASSERT_EQ(news_of(0x7f | signal << 8).change, Change::stopped);
    EXPECT_EQ(news_of(0x7f | signal << 8).stopped_by, signal);
  }
  EXPECT_EQ(news_of(0xffff).change, Change::continued);
}

}  // namespace
}  // namespace atmost::os
