// The helper processes of a lock in a fleet: their share of the program, and its view of them.

#include "fleet_kit.h"

namespace {

class FleetHelpers : public FleetLibrary {};

std::atomic<int> children_ended{0};

// Neither a signal nor a status of a process that the program did not start.
TEST_F(FleetHelpers, AreNoChildrenOfTheProgram) {
#ifdef ATMOST_PORTABLE
  GTEST_SKIP();
#endif
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = [](int) { ++children_ended; };
  sigaction(SIGCHLD, &action, &before);
  atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  held.release(true);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(children_ended, 0);
  sigaction(SIGCHLD, &before, nullptr);
}

TEST_F(FleetHelpers, HaveNoSignalsOfTheProgram) {
  struct sigaction ignored = {};
  struct sigaction before = {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignored, &before);
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &term, nullptr);
  atmost::Held held = get();
  pthread_sigmask(SIG_UNBLOCK, &term, nullptr);
  signal(SIGTERM, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  sigaction(SIGCHLD, &before, nullptr);
  ASSERT_TRUE(held) << held.reason();
  std::ifstream status("/proc/" + std::to_string(command()) + "/status");
  int seen = 0;
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigBlk:") && !line.starts_with("SigIgn:")) continue;
    // 32 and 33 are the C library's own.
    EXPECT_EQ(std::stoull(line.substr(7), nullptr, 16) & ~(3ull << 31), 0u) << line;
    ++seen;
  }
  EXPECT_EQ(seen, 2);
  held.release(true);
  EXPECT_TRUE(get());
}

// A terminal's signals to the program, and a hangup, are not for them.
TEST_F(FleetHelpers, HaveASessionOfTheirOwn) {
  const atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  for (const pid_t each : {asker(), supervisor(), command()}) {
    ASSERT_GT(each, 1);
    EXPECT_NE(getsid(each), getsid(0));
  }
}

TEST_F(FleetHelpers, HaveNoDescriptorsOfTheProgram) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // as programs do that know nothing of close-on-exec
  const atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

}  // namespace
