#include "kit.h"

namespace atmost::symlink {
namespace {

TEST_F(SymlinkTest, NamesOfTheLockAreTold) {
  EXPECT_EQ(kin_of(place_, "lock"), Kin::none);
  EXPECT_EQ(kin_of(place_, "lock.12.34"), Kin::leftover);
  EXPECT_EQ(kin_of(place_, "lock.12.34.5"), Kin::none);
  EXPECT_EQ(kin_of(place_, "lock.12.x"), Kin::none);
  EXPECT_EQ(kin_of(place_, "other.12.34"), Kin::none);
  EXPECT_EQ(kin_of(place_, "lock.atmost"), Kin::none);
  EXPECT_EQ(kin_of(place_, "lock.atmost.0123456789abcdef.1"), Kin::claim);
  EXPECT_EQ(kin_of(place_, "lock.atmost.spare.7.0123456789abcdef"), Kin::spare);
  EXPECT_EQ(kin_of(place_, "lock.atmost.spare.7"), Kin::none);
  const PathText claim = claim_name(place_, "text", 3);
  const std::string_view base = std::string_view(claim).substr(place_.directory.size() + 1);
  EXPECT_EQ(kin_of(place_, base), Kin::claim);
  EXPECT_TRUE(claims_seat(place_, base, "text"));
  EXPECT_FALSE(claims_seat(place_, base, "test"));
}

TEST(Locate, FindsTheDirectory) {
  Place place;
  ASSERT_TRUE(locate(PathText("lock"), place).ok());
  EXPECT_EQ(place.directory.view(), ".");
  ASSERT_TRUE(locate(PathText("/lock"), place).ok());
  EXPECT_EQ(place.directory.view(), "/");
  ASSERT_TRUE(locate(PathText("a/b c\n/l*"), place).ok());
  EXPECT_EQ(place.directory.view(), "a/b c\n");
  EXPECT_EQ(place.base.view(), "l*");
  EXPECT_EQ(place.seat.view(), "a/b c\n/l*.atmost");
}

TEST(Locate, RefusesNamesThatLeaveNoRoomForOurs) {
  Place place;
  EXPECT_EQ(locate(PathText("x.atmost"), place).error().code, Code::usage);
  EXPECT_EQ(locate(PathText(std::string(196, 'x')), place).error().code, Code::usage);
  EXPECT_TRUE(locate(PathText(std::string(195, 'x')), place).ok());
}

}  // namespace
}  // namespace atmost::symlink
