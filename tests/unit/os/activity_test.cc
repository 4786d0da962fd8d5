#include "os/activity.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "os/calls.h"

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

long counted = 0;

// System calls of a look at `count` sleeping children.
long calls_of_a_look(int count) {
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    children.push_back(fork());
    if (children.back() == 0) {
      pause();
      _exit(0);
    }
  }
  const WatchedTree tree = {getpid(), false};
  (void)look_at(tree, true, false);
  calls.openat = [](int dir, const char* path, int flags, mode_t mode) {
    return ++counted, kRealCalls.openat(dir, path, flags, mode);
  };
  calls.read = [](int fd, void* to, std::size_t size) {
    return ++counted, kRealCalls.read(fd, to, size);
  };
  calls.close = [](int fd) { return ++counted, kRealCalls.close(fd); };
  calls.stat = [](const char* path, struct stat* to) {
    return ++counted, kRealCalls.stat(path, to);
  };
  calls.readlink = [](const char* path, char* to, std::size_t size) {
    return ++counted, kRealCalls.readlink(path, to, size);
  };
  calls.clock_gettime = [](clockid_t clock, struct timespec* to) {
    return ++counted, kRealCalls.clock_gettime(clock, to);
  };
  counted = 0;
  const Activity seen = look_at(tree, false, false);
  calls = kRealCalls;
  EXPECT_EQ(static_cast<int>(seen.processes), count);
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  return counted;
}

// Three to read its state, three for its bytes, and a clock. Processes of others that begin
// meanwhile are looked at once, so one of several tries is enough.
TEST(Activity, ALookIsSevenCallsAProcess) {
  if (counts_activity() != 0) GTEST_SKIP() << "nothing is counted here";
  long more = 0;
  for (int i = 0; i < 20 && more != 140; ++i) more = calls_of_a_look(21) - calls_of_a_look(1);
  EXPECT_EQ(more, 140);
}

}  // namespace
}  // namespace atmost::os
