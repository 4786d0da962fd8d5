#include "kit.h"

namespace atmost::symlink {
namespace {

TEST_F(SymlinkTest, NamesOfTheLockAreRecognised) {
  EXPECT_EQ(kind_of(names_, "lock"), NameKind::none);
  EXPECT_EQ(kind_of(names_, "lock.12.34"), NameKind::leftover);
  EXPECT_EQ(kind_of(names_, "lock.12.34.5"), NameKind::none);
  EXPECT_EQ(kind_of(names_, "lock.12.x"), NameKind::none);
  EXPECT_EQ(kind_of(names_, "other.12.34"), NameKind::none);
  EXPECT_EQ(kind_of(names_, "lock.atmost"), NameKind::none);
  EXPECT_EQ(kind_of(names_, "lock.atmost.0123456789abcdef.1"), NameKind::claim);
  EXPECT_EQ(kind_of(names_, "lock.atmost.spare.7.0123456789abcdef"), NameKind::spare);
  EXPECT_EQ(kind_of(names_, "lock.atmost.spare.7"), NameKind::none);
  const PathText claim = claim_name(names_, "text", 3);
  const std::string_view base = std::string_view(claim).substr(names_.directory.size() + 1);
  EXPECT_EQ(kind_of(names_, base), NameKind::claim);
  EXPECT_TRUE(claims_removal_of(names_, base, "text"));
  EXPECT_FALSE(claims_removal_of(names_, base, "test"));
}

TEST(Locate, FindsTheDirectory) {
  LockNames names;
  ASSERT_TRUE(locate(PathText("lock"), names).ok());
  EXPECT_EQ(names.directory.view(), ".");
  ASSERT_TRUE(locate(PathText("/lock"), names).ok());
  EXPECT_EQ(names.directory.view(), "/");
  ASSERT_TRUE(locate(PathText("a/b c\n/l*"), names).ok());
  EXPECT_EQ(names.directory.view(), "a/b c\n");
  EXPECT_EQ(names.base.view(), "l*");
  EXPECT_EQ(names.mutex.view(), "a/b c\n/l*.atmost");
}

TEST(Locate, RefusesNamesThatLeaveNoRoomForOurs) {
  LockNames names;
  EXPECT_EQ(locate(PathText("x.atmost"), names).error().code, Code::usage);
  EXPECT_EQ(locate(PathText(std::string(196, 'x')), names).error().code, Code::usage);
  EXPECT_TRUE(locate(PathText(std::string(195, 'x')), names).ok());
}

}  // namespace
}  // namespace atmost::symlink
