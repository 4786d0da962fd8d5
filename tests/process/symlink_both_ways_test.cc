// Old scripts and atmost on one link: each waits for the other, and finds out that the other has
// died or expired.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "witness_world.h"

namespace witness {
namespace {

class SymlinkBothWays : public ::testing::Test {
 protected:
  static Argv plus(Argv to, const Argv& more) {
    to.insert(to.end(), more.begin(), more.end());
    return to;
  }
  Argv ours(const Argv& command, const Argv& options = {}) const {
    return plus(
        plus(plus({under_test("atmost"), "run", "--store", "symlink:", "--no-history"}, options),
             {lock_, "--"}),
        command);
  }
  Argv old(const Argv& command, const std::string& tries = "0",
           const std::string& ttl = "99999999") const {
    return plus({"/bin/sh", ATMOST_OLD_SCRIPT, lock_, tries, ttl}, command);
  }
  // Tells that it is inside by making a file, and stays there until it is killed or the FIFO is
  // written to.
  Argv stay(const std::string& mark) const {
    return {"/bin/sh", "-c", "echo > \"$0\"; read -r line < \"$1\"", directory_.file(mark), gate_};
  }
  bool came(const std::string& mark) const {
    return eventually(Bound(20'000),
                      [&] { return std::filesystem::exists(directory_.file(mark)); });
  }
  void open_gate() {
    const int fd = open(gate_.c_str(), O_WRONLY);
    ASSERT_EQ(write(fd, "\n", 1), 1);
    close(fd);
  }
  bool lock_is_there() const { return std::filesystem::is_symlink(lock_); }
  std::string text() const {
    return lock_is_there() ? std::filesystem::read_symlink(lock_).string() : "";
  }
  int run(const Argv& argv) { return world_.run(argv, quiet_); }

  TempDir directory_;
  const std::string lock_ = directory_.file("a lock $(x)");
  const std::string gate_ = directory_.file("gate");
  World world_;
  Streams quiet_{-1, -1, open("/dev/null", O_WRONLY | O_CLOEXEC)};

  void SetUp() override { ASSERT_EQ(mkfifo(gate_.c_str(), 0600), 0); }
};

TEST_F(SymlinkBothWays, OursWaitsForTheOldOne) {
  const pid_t holder = world_.start(old(stay("old")));
  ASSERT_TRUE(came("old"));
  EXPECT_EQ(words(run(ours({"true"}))), "exit 75");
  const pid_t waiter = world_.start(ours(stay("ours"), {"-w", "inf"}));
  EXPECT_TRUE(stays(Bound(100), [&] { return !std::filesystem::exists(directory_.file("ours")); }));
  open_gate();
  EXPECT_TRUE(came("ours"));
  EXPECT_EQ(words(*world_.wait(holder)), "exit 0");
  EXPECT_EQ(words(run(old({"true"}))), "exit 1");
  open_gate();
  EXPECT_EQ(words(*world_.wait(waiter)), "exit 0");
  EXPECT_FALSE(lock_is_there());
}

TEST_F(SymlinkBothWays, TheOldOneWaitsForOurs) {
  const pid_t holder = world_.start(ours(stay("ours")));
  ASSERT_TRUE(came("ours"));
  EXPECT_EQ(words(run(old({"true"}, "3"))), "exit 1");
  EXPECT_NE(text().find("pid=" + std::to_string(holder) + " "), std::string::npos);
  const pid_t waiter = world_.start(old(stay("old"), "9999"));
  open_gate();
  EXPECT_TRUE(came("old"));
  EXPECT_EQ(words(*world_.wait(holder)), "exit 0");
  EXPECT_NE(text().find("pid=" + std::to_string(waiter) + " "), std::string::npos)
      << "ours removed another's lock";
  open_gate();
  EXPECT_EQ(words(*world_.wait(waiter)), "exit 0");
}

TEST_F(SymlinkBothWays, AKilledOldOneFreesItAtOnce) {
  const pid_t holder = world_.start(old(stay("old")));
  ASSERT_TRUE(came("old"));
  const pid_t waiter = world_.start(ours({"true"}, {"-w", "inf"}));
  EXPECT_FALSE(world_.wait(waiter, Bound(100)).has_value());
  const std::int64_t killed = now_ns();
  world_.signal_descendant(holder, SIGKILL, true);
  EXPECT_EQ(words(*world_.wait(waiter)), "exit 0");
  EXPECT_LT(now_ns() - killed, 2'000'000'000) << "it polls";
}

TEST_F(SymlinkBothWays, AKilledOneOfOursFreesItForTheOldOne) {
  const pid_t holder = world_.start(ours(stay("ours")));
  ASSERT_TRUE(came("ours"));
  world_.signal_descendant(holder, SIGKILL, true);
  EXPECT_EQ(words(run(old({"true"}, "9999"))), "exit 0");
}

TEST_F(SymlinkBothWays, ExpiryRevokesAndSignalsNobody) {
  const pid_t holder = world_.start(old(stay("old"), "0", "0"));
  ASSERT_TRUE(came("old"));
  EXPECT_EQ(words(run(ours({"true"}))), "exit 0");
  EXPECT_TRUE(alive(holder));

  const pid_t other = world_.start(ours(stay("ours"), {"--now", "1000", "--expire-after", "5s"}));
  ASSERT_TRUE(came("ours"));
  EXPECT_EQ(words(run(old({"true"}, "9999"))), "exit 0");
  EXPECT_TRUE(alive(other));
}

TEST_F(SymlinkBothWays, OneThatExpiredTakesNothingFromTheNext) {
  const pid_t first = world_.start(ours(stay("first"), {"--now", "1000", "--expire-after", "5s"}));
  ASSERT_TRUE(came("first"));
  world_.start(ours(stay("second")));
  ASSERT_TRUE(came("second"));
  const std::string theirs = text();
  for (pid_t child : world_.children_of(first)) world_.signal_descendant(child, SIGKILL, true);
  ASSERT_TRUE(world_.wait(first).has_value());
  EXPECT_EQ(text(), theirs);
  EXPECT_EQ(words(run(ours({"true"}))), "exit 75");
}

TEST_F(SymlinkBothWays, MovedLeftoversAreSwept) {
  const std::string left = lock_ + ".123.456";
  std::filesystem::create_symlink("pid=1 time=1 ttl=1 psid=root.root.0.1 id=", left);
  EXPECT_EQ(words(run(ours({"true"}))), "exit 0");
  EXPECT_FALSE(std::filesystem::is_symlink(left));
}

TEST_F(SymlinkBothWays, WhatIsNoLockIsNotTouched) {
  for (const char* target : {"/etc/passwd", "pid=1", "pid=x time=1 ttl=1 psid=a id="}) {
    std::filesystem::remove(lock_);
    std::filesystem::create_symlink(target, lock_);
    EXPECT_EQ(words(run(ours({"true"}))), "exit 74") << target;
    EXPECT_EQ(text(), target);
  }
}

TEST_F(SymlinkBothWays, WhatItCannotDoItRefuses) {
  for (const Argv& options : {Argv{"-n", "2"}, Argv{"--shared"}, Argv{"--if-elapsed", "5s"},
                              Argv{"--expire-after", "0"}, Argv{"--on-busy=replace"}}) {
    EXPECT_EQ(words(run(ours({"true"}, options))), "exit 64") << options[0];
  }
}

}  // namespace
}  // namespace witness
