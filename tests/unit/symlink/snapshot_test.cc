// Processes that count as gone.
#include "kit.h"

namespace atmost::symlink {
namespace {

class Sights : public SymlinkTest {
 protected:
  Snapshot seen() {
    Snapshot snapshot;
    EXPECT_EQ(look(name().c_str(), snapshot), 0);
    return snapshot;
  }
  bool ended() { return over(seen(), now_, boot_, nullptr); }
  std::string ours(const ProcessIdentity& identity) const {
    Target target;
    target.pid = identity.pid;
    target.time_s = 1;
    target.ttl_s = kNoExpiry;
    target.psid = Text<127>("x.y.1.1");
    target.start_ns = identity.start_ns;
    target.boot = identity.boot;
    return std::string(format_target(target).view());
  }
};

TEST_F(Sights, NothingIsAbsentAndOtherThingsAreAlien) {
  EXPECT_EQ(seen().kind, Snapshot::Kind::absent);
  put("elsewhere");
  EXPECT_EQ(seen().kind, Snapshot::Kind::alien);
  std::filesystem::remove(name());
  std::filesystem::create_directory(name());
  EXPECT_EQ(seen().kind, Snapshot::Kind::alien);
}

TEST_F(Sights, ADeadHolderIsOver) {
  put(old_link(dead_pid()));
  EXPECT_EQ(seen().kind, Snapshot::Kind::lock);
  EXPECT_TRUE(ended());
}

TEST_F(Sights, AZombieIsOver) {
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  put(old_link(pid));
#ifndef ATMOST_PORTABLE
  EXPECT_TRUE(ended());
#endif
  waitpid(pid, nullptr, 0);
}

TEST_F(Sights, AnOrphanIsNotAStranger) {
  // Its parent is not the one of the psid, but it was there before the link.
  put(old_link(getpid()));
  EXPECT_FALSE(ended());
}

TEST_F(Sights, OneThatBeganAfterTheLinkAndHasAnotherParentIsAStranger) {
  put(old_link(getpid()));
  Snapshot snapshot = seen();
  snapshot.made_ns -= 3'600'000'000'000;
  if (self_.start_ns != 0) {
    EXPECT_TRUE(over(snapshot, now_, boot_, nullptr));
  }
  // With its own psid it is recognized, even after a clock was put forward.
  snapshot.target.psid =
      Text<127>("a.b." + std::to_string(getppid()) + "." + std::to_string(getpgrp()));
  EXPECT_FALSE(over(snapshot, now_, boot_, nullptr));
}

TEST_F(Sights, TheTimeToLive) {
  const std::int64_t now_s = now_.real_ns / 1'000'000'000;
  put(old_link(getpid(), now_s, 60));
  EXPECT_FALSE(ended());
  now_.real_ns += 61'000'000'000;
  EXPECT_TRUE(ended());
}

TEST_F(Sights, OursSayWhoExactlyTheyAre) {
  put(ours(self_));
  EXPECT_FALSE(ended());
  for (const ProcessIdentity& other :
       {ProcessIdentity{getpid(), self_.start_ns + 10'000'000, boot_},
        ProcessIdentity{getpid(), 1, boot_ ^ 1}}) {
    std::filesystem::remove(name());
    put(ours(other));
    if (self_.start_ns != 0) {
      EXPECT_TRUE(ended());
    }
  }
}

}  // namespace
}  // namespace atmost::symlink
