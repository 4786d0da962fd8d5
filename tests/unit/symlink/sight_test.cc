// Who counts as gone.
#include "kit.h"

namespace atmost::symlink {
namespace {

class Sights : public SymlinkTest {
 protected:
  Sight seen() {
    Sight sight;
    EXPECT_EQ(look(name().c_str(), sight), 0);
    return sight;
  }
  bool ended() { return over(seen(), now_, boot_, nullptr); }
  std::string ours(const Being& being) const {
    Target target;
    target.pid = being.pid;
    target.time_s = 1;
    target.ttl_s = kNoExpiry;
    target.psid = Text<127>("x.y.1.1");
    target.start_ns = being.start_ns;
    target.boot = being.boot;
    return std::string(format_target(target).view());
  }
};

TEST_F(Sights, NothingIsAbsentAndOtherThingsAreAlien) {
  EXPECT_EQ(seen().kind, Sight::Kind::absent);
  put("elsewhere");
  EXPECT_EQ(seen().kind, Sight::Kind::alien);
  std::filesystem::remove(name());
  std::filesystem::create_directory(name());
  EXPECT_EQ(seen().kind, Sight::Kind::alien);
}

TEST_F(Sights, ADeadHolderIsOver) {
  put(old_link(dead_pid()));
  EXPECT_EQ(seen().kind, Sight::Kind::lock);
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
  Sight sight = seen();
  sight.made_ns -= 3'600'000'000'000;
  if (self_.start_ns != 0) {
    EXPECT_TRUE(over(sight, now_, boot_, nullptr));
  }
  // With its own psid it is no stranger, whatever a clock that was put forward says.
  sight.target.psid =
      Text<127>("a.b." + std::to_string(getppid()) + "." + std::to_string(getpgrp()));
  EXPECT_FALSE(over(sight, now_, boot_, nullptr));
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
  for (const Being& other :
       {Being{getpid(), self_.start_ns + 10'000'000, boot_}, Being{getpid(), 1, boot_ ^ 1}}) {
    std::filesystem::remove(name());
    put(ours(other));
    if (self_.start_ns != 0) {
      EXPECT_TRUE(ended());
    }
  }
}

}  // namespace
}  // namespace atmost::symlink
