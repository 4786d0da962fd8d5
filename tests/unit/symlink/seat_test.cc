// The steps of tests/model/ours.pml, one by one.
#include "kit.h"

namespace atmost::symlink {
namespace {

class Seats : public SymlinkTest {
 protected:
  TryLock take(const MutexText& own) {
    const Result<TryLock> taken = take_mutex(names_, own, self_, now_);
    EXPECT_TRUE(taken.ok()) << taken.error().message.c_str();
    return taken.ok() ? taken.value() : TryLock::busy;
  }
  std::string text(const MutexText& own) const { return std::string(format_mutex(own).view()); }
  void put_claim(const MutexText& mutex, unsigned number, const MutexText& maker) {
    ASSERT_EQ(::symlink(text(maker).c_str(), claim_name(names_, text(mutex), number).c_str()), 0);
  }
};

TEST_F(Seats, OneHasIt) {
  const MutexText first = holder(getpid(), 1);
  const MutexText second = holder(getpid(), 2);
  EXPECT_EQ(take(first), TryLock::held);
  EXPECT_EQ(take(second), TryLock::busy);
  leave_mutex(names_, second);
  EXPECT_EQ(get(".atmost"), text(first));
  leave_mutex(names_, first);
  EXPECT_EQ(take(second), TryLock::held);
}

TEST_F(Seats, OneThatIsOverIsRemoved) {
  put(text(holder(dead_pid(), 1)), ".atmost");
  const MutexText own = holder(getpid(), 2);
  EXPECT_EQ(take(own), TryLock::held);
  EXPECT_EQ(get(".atmost"), text(own));
  EXPECT_EQ(names(), 1u) << "the right to it is left";
}

TEST_F(Seats, OneWhoseTimeIsOverIsRemoved) {
  put(text(holder(getpid(), 1, now_.real_ns / 1'000'000'000 + 60)), ".atmost");
  const MutexText own = holder(getpid(), 2);
  EXPECT_EQ(take(own), TryLock::busy);
  now_.real_ns += 61'000'000'000;
  EXPECT_EQ(take(own), TryLock::held);
}

TEST_F(Seats, NobodyRemovesWhatALivingOneIsRemoving) {
  const MutexText old = holder(dead_pid(), 1);
  put(text(old), ".atmost");
  put_claim(old, 1, holder(getpid(), 0));
  EXPECT_EQ(take(holder(getpid(), 2)), TryLock::busy);
  EXPECT_EQ(get(".atmost"), text(old));
}

TEST_F(Seats, TheRightOfADeadOneGoesToTheNext) {
  const MutexText old = holder(dead_pid(), 1);
  put(text(old), ".atmost");
  put_claim(old, 1, holder(dead_pid(), 0));
  put_claim(old, 2, holder(dead_pid(), 0));
  EXPECT_EQ(take(holder(getpid(), 2)), TryLock::held);
}

TEST_F(Seats, ALateRightFindsItsSeatGone) {
  const MutexText old = holder(dead_pid(), 1);
  const MutexText fresh = holder(getpid(), 2);
  put(text(fresh), ".atmost");
  Claim claim;
  const Result<TryLock> claimed = claim_removal(names_, text(old), self_, claim);
  ASSERT_TRUE(claimed.ok());
  EXPECT_EQ(claimed.value(), TryLock::busy);
  EXPECT_EQ(get(".atmost"), text(fresh));
  EXPECT_EQ(names(), 1u);
}

TEST_F(Seats, WhatIsNoSeatIsLeftAlone) {
  for (const char* other : {"elsewhere", "pid=1 start=1 boot=00 until=0 token=0", ""}) {
    std::filesystem::remove(name(".atmost"));
    if (other[0] != '\0') {
      put(other, ".atmost");
    } else {
      std::filesystem::create_directory(name(".atmost"));
    }
    const Result<TryLock> taken = take_mutex(names_, holder(getpid(), 1), self_, now_);
    ASSERT_FALSE(taken.ok());
    EXPECT_EQ(taken.error().code, Code::io);
    EXPECT_EQ(names(), 1u);
  }
}

}  // namespace
}  // namespace atmost::symlink
