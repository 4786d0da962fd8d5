// A lock of the library in a fleet: its requests, its answers and its records.
#include <sstream>

#include "fleet_kit.h"

namespace {

class FleetLocks : public FleetLibrary {};

TEST_F(FleetLocks, IsHeldAndReleased) {
  limits_.set("id", "a note");
  atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  EXPECT_EQ(held.slot(), 1u);
  const std::uint64_t token = held.token();
  EXPECT_GT(token, 0u);
  EXPECT_NE(listed().find("a note"), std::string::npos) << listed();
  const atmost::Held other = get();
  EXPECT_EQ(other.answer(), ATMOST_BUSY);
  EXPECT_EQ(other.reason(), name_ + ": busy: 1 of 1 slots held");
  EXPECT_STREQ(atmost_why(), "no_slot");
  held.release(true);
  const atmost::Held again = get();
  ASSERT_TRUE(again) << again.reason();
  EXPECT_GT(again.token(), token);
}

TEST_F(FleetLocks, OptionsAreThoseOfRun) {
  limits_.set("max", 3);
  limits_.set("take", 2);
  const atmost::Held two = get();
  ASSERT_TRUE(two) << two.reason();
  limits_.set("take", 1);
  const atmost::Held one = get();
  ASSERT_TRUE(one) << one.reason();
  EXPECT_EQ(one.slot(), 3u);
  limits_.set("wait", 0.25);
  EXPECT_EQ(get().answer(), ATMOST_BUSY);
}

TEST_F(FleetLocks, TooSoonSaysWhenToComeBack) {
  limits_.set("if_elapsed", 900);
  get().release(true);
  const atmost::Held soon = get();
  EXPECT_EQ(soon.answer(), ATMOST_TOO_SOON) << soon.reason();
  EXPECT_GT(soon.retry_in(), 800);
  EXPECT_LE(soon.retry_in(), 900);
}

TEST_F(FleetLocks, AnAtomIsOneForTheFleet) {
  atmost_lock* lock = nullptr;
  const ForOneCall atom(atmost_new_atom("copy", name_.c_str()), limits_);
  ASSERT_EQ(atmost_get(atom, &lock), ATMOST_ADMITTED) << atmost_message();
  atmost_lock* other = nullptr;
  EXPECT_EQ(get_by(("copy:" + name_).c_str(), limits_, &other), ATMOST_BUSY);
  limits_.set("host", "elsewhere");
  const ForOneCall elsewhere(atmost_new_atom("copy", name_.c_str()), limits_);
  ASSERT_EQ(atmost_get(elsewhere, &other), ATMOST_ADMITTED) << atmost_message();
  atmost_release(other, 1);
  atmost_release(lock, 1);
}

TEST_F(FleetLocks, TheHistoryIsThatOfRun) {
  const std::string log = path("history.jsonl");
  limits_.set("log", log);
  get().release(true);
  std::ifstream file(log);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find("\"admitted\""), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("\"ended\""), std::string::npos) << text.str();
}

}  // namespace
