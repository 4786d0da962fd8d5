// Programs with the procedure of the original exectimes, and ours, limit one another on one file
// and see one another.
#include "traps_stage.h"

namespace witness {
namespace {

class Strangers : public Stage {
 protected:
  Argv ours(unsigned limit) const {
    return {under_test("exectimes"), lock_, std::to_string(limit)};
  }
  Argv with_true(Argv before) const {
    before.push_back("/bin/true");
    return before;
  }
  // Everybody's answer to "is there room for one more of `limit`?"
  void expect_room(unsigned limit, bool room) {
    SCOPED_TRACE("limit " + std::to_string(limit));
    EXPECT_EQ(ask(with_true(run({"-n", std::to_string(limit)}))).end, room ? "exit 0" : "exit 75");
    EXPECT_EQ(ask(with_true(ours(limit))).end, room ? "exit 0" : "exit 1");
    EXPECT_EQ(ask(with_true(stranger(limit))).end, room ? "exit 0" : "exit 1");
  }
};

TEST_F(Strangers, LimitUsAndWeThem) {
  std::vector<Tag> inside;
  const std::vector<Argv> kinds{
      run({"-n", "6"}), stranger(6), run({"-n", "6", "--exec"}),
      ours(6),          stranger(6), run({"-n", "6", "--exec", "--until=close"})};
  for (const Argv& kind : kinds) {
    const auto held = static_cast<unsigned>(inside.size());
    if (held > 0) expect_room(held, false);
    expect_room(held + 1, true);
    inside.push_back(hold(kind));
  }
  expect_room(6, false);
  for (Tag tag : inside) {
    let_go(tag);
    EXPECT_EQ(end_of(tag), "exit 0");
    expect_room(6, true);
  }
}

TEST_F(Strangers, WithGapsBetweenTheSlots) {
  std::vector<Tag> inside;
  for (int i = 0; i < 6; ++i) inside.push_back(hold(i % 2 == 0 ? run({"-n", "6"}) : stranger(6)));
  for (std::size_t i : {0u, 3u, 4u}) {
    let_go(inside[i]);
    EXPECT_EQ(end_of(inside[i]), "exit 0");
  }
  expect_room(3, false);
  expect_room(4, true);
}

// A waiter of ours is woken when a stranger leaves.
TEST_F(Strangers, AreWaitedFor) {
  const Tag holder = hold(stranger(1));
  const Tag waiter = queue(run({"-w", "inf"}));
  let_go(holder);
  EXPECT_TRUE(comes_inside(waiter, Bound(3000)));
}

TEST_F(Strangers, AreListedByUs) {
  const Tag foreign = hold(stranger(4));
  hold(run({"-n", "4"}));
  const std::string pid = std::to_string(pid_of(foreign));
  EXPECT_EQ(
      ask({under_test("exectimes"), lock_, "list"}).output.find("Slot 1 held by PID " + pid + "\n"),
      0u);
  EXPECT_NE(ask({under_test("exectimes"), lock_, "list"}).output.find("Slot 2 held by PID "),
            std::string::npos);
  EXPECT_NE(ask({under_test("exectimes"), lock_, "check"}).output.find("2"), std::string::npos);
  const std::string json = ask({under_test("atmost"), "list", "--json", lock_}).output;
  EXPECT_NE(json.find("\"pid\":" + pid), std::string::npos) << json;
  EXPECT_NE(json.find("\"slot\":1"), std::string::npos) << json;
  EXPECT_NE(json.find("\"slot\":2"), std::string::npos) << json;
}

TEST_F(Strangers, ListUs) {
  hold(run({"-n", "4"}));
  const Tag posix = hold(ours(4));
  const std::string list = ask({helper("plain_scan"), lock_, "list"}).output;
  EXPECT_NE(list.find("slot 1 pid "), std::string::npos) << list;
  EXPECT_NE(list.find("slot 2 pid " + std::to_string(pid_of(posix)) + "\n"), std::string::npos)
      << list;
}

}  // namespace
}  // namespace witness
