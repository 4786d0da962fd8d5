// The steps of tests/model/ours.pml, one by one.
#include "kit.h"

namespace atmost::symlink {
namespace {

class Seats : public SymlinkTest {
 protected:
  Grip take(const Mark& own) {
    const Result<Grip> taken = take_seat(place_, own, self_, now_);
    EXPECT_TRUE(taken.ok()) << taken.error().message.c_str();
    return taken.ok() ? taken.value() : Grip::busy;
  }
  std::string text(const Mark& own) const { return std::string(format_mark(own).view()); }
  void put_claim(const Mark& seat, unsigned number, const Mark& maker) {
    ASSERT_EQ(::symlink(text(maker).c_str(), claim_name(place_, text(seat), number).c_str()), 0);
  }
};

TEST_F(Seats, OneHasIt) {
  const Mark first = mark(getpid(), 1);
  const Mark second = mark(getpid(), 2);
  EXPECT_EQ(take(first), Grip::held);
  EXPECT_EQ(take(second), Grip::busy);
  leave_seat(place_, second);
  EXPECT_EQ(get(".atmost"), text(first));
  leave_seat(place_, first);
  EXPECT_EQ(take(second), Grip::held);
}

TEST_F(Seats, OneThatIsOverIsRemoved) {
  put(text(mark(dead_pid(), 1)), ".atmost");
  const Mark own = mark(getpid(), 2);
  EXPECT_EQ(take(own), Grip::held);
  EXPECT_EQ(get(".atmost"), text(own));
  EXPECT_EQ(names(), 1u) << "the right to it is left";
}

TEST_F(Seats, OneWhoseTimeIsOverIsRemoved) {
  put(text(mark(getpid(), 1, now_.real_ns / 1'000'000'000 + 60)), ".atmost");
  const Mark own = mark(getpid(), 2);
  EXPECT_EQ(take(own), Grip::busy);
  now_.real_ns += 61'000'000'000;
  EXPECT_EQ(take(own), Grip::held);
}

TEST_F(Seats, NobodyRemovesWhatALivingOneIsRemoving) {
  const Mark old = mark(dead_pid(), 1);
  put(text(old), ".atmost");
  put_claim(old, 1, mark(getpid(), 0));
  EXPECT_EQ(take(mark(getpid(), 2)), Grip::busy);
  EXPECT_EQ(get(".atmost"), text(old));
}

TEST_F(Seats, TheRightOfADeadOneGoesToTheNext) {
  const Mark old = mark(dead_pid(), 1);
  put(text(old), ".atmost");
  put_claim(old, 1, mark(dead_pid(), 0));
  put_claim(old, 2, mark(dead_pid(), 0));
  EXPECT_EQ(take(mark(getpid(), 2)), Grip::held);
}

TEST_F(Seats, ALateRightFindsItsSeatGone) {
  const Mark old = mark(dead_pid(), 1);
  const Mark fresh = mark(getpid(), 2);
  put(text(fresh), ".atmost");
  Claim claim;
  const Result<Grip> claimed = claim_seat(place_, text(old), self_, claim);
  ASSERT_TRUE(claimed.ok());
  EXPECT_EQ(claimed.value(), Grip::busy);
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
    const Result<Grip> taken = take_seat(place_, mark(getpid(), 1), self_, now_);
    ASSERT_FALSE(taken.ok());
    EXPECT_EQ(taken.error().code, Code::io);
    EXPECT_EQ(names(), 1u);
  }
}

}  // namespace
}  // namespace atmost::symlink
