// The text of a link is anybody's.
#include "store/symlink/format.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cstring>
#include <string>

#include "core/time.h"

namespace atmost::symlink {
namespace {

TEST(Target, ReadsWhatTheOriginalWrites) {
  Target target;
  ASSERT_TRUE(parse_target(
      "pid=4711 time=1700000000 ttl=99999999 psid=a.b.dom.users.12.34 id=night ly=x", target));
  EXPECT_EQ(target.pid, 4711);
  EXPECT_EQ(target.time_s, 1700000000);
  EXPECT_EQ(target.ttl_s, kNoExpiry);
  EXPECT_EQ(target.psid.view(), "a.b.dom.users.12.34");
  EXPECT_EQ(target.id.view(), "night ly=x");
  EXPECT_FALSE(target.ours);
  EXPECT_EQ(expiry_ns(target), Duration::kForever);
}

TEST(Target, AnEmptyIdAndAnIdOfAnyBytesAreIds) {
  Target target;
  EXPECT_TRUE(parse_target("pid=1 time=0 ttl=0 psid=... id=", target));
  EXPECT_TRUE(parse_target("pid=1 time=0 ttl=0 psid=... id=\n\xff'\"$(x)", target));
  EXPECT_EQ(expiry_ns(target), 0);
}

TEST(Target, RefusesWhatIsNotExactlyIt) {
  Target target;
  for (const char* text :
       {"", "pid", "pid=", "pid=0 time=1 ttl=1 psid=a id=", "pid=-1 time=1 ttl=1 psid=a id=",
        "pid=+1 time=1 ttl=1 psid=a id=", "pid=2147483648 time=1 ttl=1 psid=a id=",
        "pid=1  time=1 ttl=1 psid=a id=", "pid=1 time= ttl=1 psid=a id=",
        "pid=1 time=1 ttl=99999999999999999999 psid=a id=", "pid=1 time=1.5 ttl=1 psid=a id=",
        "pid=1 time=1 ttl=1 psid=a",
        "pid=1 time=1 ttl=1 psid=a\tb id=", " pid=1 time=1 ttl=1 psid=a id=",
        "pid=0x1 time=1 ttl=1 psid=a id=", "PID=1 time=1 ttl=1 psid=a id="}) {
    EXPECT_FALSE(parse_target(text, target)) << text;
  }
  EXPECT_FALSE(parse_target("pid=1 time=1 ttl=1 psid=" + std::string(128, 'a') + " id=", target));
}

TEST(Target, AnythingCanBeAnId) {
  Target from;
  from.pid = 12;
  from.time_s = 5;
  from.ttl_s = 7;
  from.psid = Text<127>("root.root.1.2");
  std::string id;
  for (int c = 1; c < 256; ++c) {
    id.push_back(static_cast<char>(c));
    if (id.size() < 60 && c != 255) continue;
    from.id = Text<63>(id);
    from.start_ns = c;
    from.boot = 0xfeedULL << c % 40;
    from.token = 1234567890123456;
    const PathText text = format_target(from);
    const std::size_t start = text.view().find(" id=") + 4;
    for (char each : std::string(text.view()).substr(start)) {
      EXPECT_TRUE(isalnum(static_cast<unsigned char>(each)) || strchr("._+@,:/-%=", each)) << each;
    }
    Target to;
    ASSERT_TRUE(parse_target(text, to));
    EXPECT_TRUE(to.ours);
    EXPECT_EQ(to.id.view(), id);
    EXPECT_EQ(to.start_ns, from.start_ns);
    EXPECT_EQ(to.boot, from.boot);
    EXPECT_EQ(to.token, from.token);
    EXPECT_EQ(format_target(to).view(), text.view());
    id.clear();
  }
}

TEST(Target, AnIdThatOnlyLooksLikeOursIsNot) {
  Target target;
  for (const char* id :
       {"a=1.2.3", "a=1.00000000000000ab.00000000000000cd.",
        "a=x.00000000000000ab.00000000000000cd", "a=1.00000000000000AB.00000000000000cd",
        "a=1.00000000000000ab00000000000000cd"}) {
    ASSERT_TRUE(parse_target(std::string("pid=1 time=1 ttl=1 psid=a id=") + id, target));
    EXPECT_FALSE(target.ours) << id;
    EXPECT_EQ(target.id.view(), id);
  }
}

TEST(Target, ThePsidEndsInTwoNumbers) {
  std::int64_t parent = 0;
  std::int64_t group = 0;
  EXPECT_TRUE(parse_psid("first.last.dom.users.12.34", parent, group));
  EXPECT_EQ(parent, 12);
  EXPECT_EQ(group, 34);
  for (const char* psid : {"", "...", "a.b.c.d", "1", ".1", "a.b.1.", "a.b..1"}) {
    EXPECT_FALSE(parse_psid(psid, parent, group)) << psid;
  }
}

TEST(Target, ExpiryDoesNotOverflow) {
  Target target;
  target.time_s = INT64_MAX / 4;
  target.ttl_s = 5;
  EXPECT_EQ(expiry_ns(target), Duration::kForever);
  target.time_s = 10;
  EXPECT_EQ(expiry_ns(target), 15'000'000'000);
}

}  // namespace
}  // namespace atmost::symlink
