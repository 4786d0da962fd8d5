#include "policy/limits.h"

#include <gtest/gtest.h>

#include <string>

namespace atmost::policy {
namespace {

constexpr Duration kHour = Duration::seconds(3600);

TEST(Splay, IsAlwaysTheSameForOneHostAndLock) {
  const Duration part = splay_part(kHour, "alder", "backup");
  EXPECT_EQ(part.ns, splay_part(kHour, "alder", "backup").ns);
  EXPECT_NE(part.ns, splay_part(kHour, "birch", "backup").ns);
  EXPECT_NE(part.ns, splay_part(kHour, "alder", "mirror").ns);
  EXPECT_NE(splay_part(kHour, "ab", "c").ns, splay_part(kHour, "a", "bc").ns);
}

// A thousand hosts that wake at the same minute come evenly over the hour.
TEST(Splay, SpreadsHostsOverTheWhole) {
  int in_tenth[10] = {};
  for (int host = 0; host < 1000; ++host) {
    const Duration part = splay_part(kHour, "web" + std::to_string(host), "backup");
    ASSERT_GE(part.ns, 0);
    ASSERT_LT(part.ns, kHour.ns);
    ++in_tenth[part.ns / (kHour.ns / 10)];
  }
  for (const int count : in_tenth) {
    EXPECT_GT(count, 60);
    EXPECT_LT(count, 140);
  }
}

TEST(Splay, OfNothingIsNothing) {
  EXPECT_EQ(splay_part({}, "alder", "backup").ns, 0);
  EXPECT_EQ(splay_part({1}, "alder", "backup").ns, 0);
}

}  // namespace
}  // namespace atmost::policy
