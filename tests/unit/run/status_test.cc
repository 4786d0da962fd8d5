#include "run/status.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "run/run.h"

namespace atmost::run {
namespace {

// wait(2)'s layout on Linux: code in bits 8 to 15, signal in bits 0 to 6, bit 7 for a core, 0x7f a
// stop, 0xffff continued.
TEST(Status, Codes) {
  for (int code = 0; code < 256; ++code) {
    ASSERT_EQ(change_of(code << 8), Change::ended);
    const ExitStatus status = exit_status(code << 8);
    EXPECT_EQ(status.code, code);
    EXPECT_EQ(status.signal, 0);
    EXPECT_FALSE(status.core_dumped);
    EXPECT_EQ(status.success(), code == 0);
  }
}

TEST(Status, Signals) {
  for (int signal = 1; signal <= 64; ++signal) {
    for (const int core : {0, 0x80}) {
      ASSERT_EQ(change_of(signal | core), Change::ended);
      const ExitStatus status = exit_status(signal | core);
      EXPECT_EQ(status.code, 0);
      EXPECT_EQ(status.signal, signal);
      EXPECT_EQ(status.core_dumped, core != 0);
      EXPECT_FALSE(status.success());
    }
  }
}

TEST(Status, StopsAndContinuations) {
  for (const int signal : {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU}) {
    ASSERT_EQ(change_of(0x7f | signal << 8), Change::stopped);
    EXPECT_EQ(stop_signal(0x7f | signal << 8), signal);
  }
  EXPECT_EQ(change_of(0xffff), Change::continued);
}

TEST(Status, CodesOfACommandThatDidNotStart) {
  EXPECT_EQ(exec_code(ENOENT), Code::not_found);
  for (const int error : {EACCES, ENOEXEC, ENOTDIR, E2BIG, ETXTBSY, ELOOP, ENAMETOOLONG, EPERM}) {
    EXPECT_EQ(exec_code(error), Code::not_executable);
  }
}

}  // namespace
}  // namespace atmost::run
