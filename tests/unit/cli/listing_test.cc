#include "cli/listing.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace atmost::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr Instant kNow = {2000 * kSecond, 500 * kSecond, false};

HolderView holder() {
  HolderView one;
  one.slot = 2;
  one.kind = HolderKind::supervised;
  one.has_record = true;
  one.verified = true;
  one.pid = 1234;
  one.uid = 0;
  one.token = 77;
  one.start = {1808 * kSecond, 308 * kSecond, true, true};
  one.id = Text<63>("night \x1b[2J");
  one.command = Text<63>("make");
  return one;
}

WaiterView waiter(std::uint32_t max, std::int64_t pid) {
  WaiterView one;
  one.max = max;
  one.pid = pid;
  one.start = {1990 * kSecond, 490 * kSecond, true, true};
  one.command = Text<63>("cc");
  return one;
}

template <class Show>
std::string listed(Shape shape, Show show) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  {
    Output to(ends[1]);
    Table table;
    Listing listing(to, table, shape, kNow);
    listing.begin("build\n");
    show(listing);
    to.flush();
  }
  close(ends[1]);
  char text[8192];
  const ssize_t size = read(ends[0], text, sizeof text);
  close(ends[0]);
  return std::string(text, static_cast<std::size_t>(size));
}

TEST(Listing, ShowsAHolder) {
  HolderView expiring = holder();
  expiring.expire_after = Duration::seconds(200);
  EXPECT_EQ(listed(Shape::plain, [&](Listing& to) { to.holder(holder()); }),
            "build\\n\t2\theld\t1234\troot\t3m12s\t-\tnight \\x1B[2J\tmake\n");
  EXPECT_EQ(listed(Shape::plain, [&](Listing& to) { to.holder(expiring); }),
            "build\\n\t2\theld\t1234\troot\t3m12s\t8s\tnight \\x1B[2J\tmake\n");
  expiring.expire_after = Duration::seconds(192);
  EXPECT_NE(listed(Shape::plain, [&](Listing& to) { to.holder(expiring); }).find("\toverdue\t"),
            std::string::npos);
}

TEST(Listing, AStrangerHasDashesAndAHintAQuestionMark) {
  HolderView stranger;
  stranger.slot = 1;
  EXPECT_EQ(listed(Shape::plain, [&](Listing& to) { to.holder(stranger); }),
            "build\\n\t1\theld\t-\t-\t-\t-\t-\t-\n");
  HolderView hinted = holder();
  hinted.verified = false;
  hinted.process_state = 'T';
  EXPECT_NE(
      listed(Shape::plain, [&](Listing& to) { to.holder(hinted); }).find("\tstopped\t1234?\t"),
      std::string::npos);
}

TEST(Listing, WhoIsOnAnotherMachineIsNamedWithIt) {
  HolderView far = holder();
  far.host = Text<63>(
      "node\x1b"
      "7");
  far.id = {};
  EXPECT_EQ(listed(Shape::plain, [&](Listing& to) { to.holder(far); }),
            "build\\n\t2\theld\t1234@node\\x1B7\t0\t3m12s\t-\t-\tmake\n");
  const std::string json = listed(Shape::json, [&](Listing& to) { to.holder(far); });
  EXPECT_NE(json.find("\"user\":\"0\",\"host\":\"node\\u001b7\""), std::string::npos) << json;
}

TEST(Listing, JsonHasTheNamesOfTheManual) {
  HolderView expiring = holder();
  expiring.expire_after = Duration::seconds(100);
  EXPECT_EQ(listed(Shape::json, [&](Listing& to) { to.holder(expiring); }),
            "{\"lock\":\"build\\n\",\"slot\":2,\"pid\":1234,\"user\":\"root\",\"start\":1808,\"age_"
            "s\":192,"
            "\"expires_s\":-92,\"token\":77,\"id\":\"night "
            "\\u001b[2J\",\"command\":\"make\",\"state\":\"held\","
            "\"verified\":true}\n");
  EXPECT_EQ(listed(Shape::json, [&](Listing& to) { to.holder({}); }),
            "{\"lock\":\"build\\n\",\"slot\":null,\"pid\":null,\"user\":null,\"start\":null,\"age_"
            "s\":null,"
            "\"expires_s\":null,\"token\":null,\"id\":\"\",\"command\":\"\",\"state\":\"held\","
            "\"verified\":"
            "false}\n");
}

TEST(Listing, WaitersHaveTheirPlaceInTheirQueue) {
  const std::string text = listed(Shape::json, [&](Listing& to) {
    to.waiter(waiter(4, 10));
    to.waiter(waiter(4, 11));
    to.waiter(waiter(8, 12));
  });
  EXPECT_NE(text.find("\"pid\":10,"), std::string::npos);
  EXPECT_NE(text.find("\"position\":1,\"max\":4}"), std::string::npos);
  EXPECT_NE(text.find("\"position\":2,\"max\":4}"), std::string::npos);
  EXPECT_NE(text.find("\"position\":1,\"max\":8}"), std::string::npos);
  EXPECT_NE(text.find("\"state\":\"waiting\""), std::string::npos);
}

TEST(Listing, ADrainedLockSaysSo) {
  LockVisitor::Header header;
  EXPECT_EQ(listed(Shape::plain,
                   [&](Listing& to) {
                     to.header(header);
                     EXPECT_FALSE(to.any());
                     header.drained = true;
                     to.header(header);
                     EXPECT_TRUE(to.any());
                   }),
            "build\\n\t-\tdrained\t-\t-\t-\t-\t-\t-\n");
}

// The clock was set back since.
TEST(Listing, AStartInTheFutureIsNow) {
  HolderView early = holder();
  early.start = {3000 * kSecond, 0, false, true};
  EXPECT_NE(listed(Shape::plain, [&](Listing& to) { to.holder(early); }).find("\troot\t0s\t-\t"),
            std::string::npos);
  EXPECT_NE(listed(Shape::json, [&](Listing& to) { to.holder(early); }).find("\"age_s\":0,"),
            std::string::npos);
}

}  // namespace
}  // namespace atmost::cli
