// The refusals of the library in a store of many machines, and their words.
#include <cmath>

#include "fleet_kit.h"

namespace {

class FleetRefusals : public FleetLibrary {};

TEST_F(FleetRefusals, WhatRunRefusesIsRefused) {
  const atmost::Limits good = limits_;
  limits_.set("trust_fs");
  EXPECT_EQ(get().answer(), ATMOST_USAGE);
  EXPECT_STREQ(atmost_message(),
               "trust_fs: a fleet's lock lies on no filesystem of this machine: leave it out");
  limits_ = good;
  limits_.set("expire_after", atmost::kAuto);
  EXPECT_EQ(get().answer(), ATMOST_USAGE);
  limits_ = good;
  limits_.set("may_be_killed", "yes");
  EXPECT_EQ(get().answer(), ATMOST_USAGE);
  limits_ = good;
  name_ = "/tmp/elsewhere";
  EXPECT_EQ(get().answer(), ATMOST_USAGE) << atmost_message();
  EXPECT_FALSE(std::filesystem::exists(name_));
  EXPECT_EQ(check_by("a", limits_, nullptr), ATMOST_USAGE);
  EXPECT_EQ(list_by(
                "a", limits_, [](void*, const atmost_entry*) { return 0; }, nullptr),
            ATMOST_USAGE);
  EXPECT_STREQ(atmost_message(), "store: use atmost list or atmost check for locks of a fleet");
}

TEST_F(FleetRefusals, WithoutItsProgramThereIsNoLock) {
  setenv("ATMOST_EXEC_PATH", directory_.c_str(), 1);
  const atmost::Held held = get();
  EXPECT_EQ(held.answer(), ATMOST_UNAVAILABLE);
  EXPECT_EQ(held.reason(),
            "atmost-relay, by which programs use stores of many machines, is not installed");
}

TEST_F(FleetRefusals, AStoreThatCannotBeReachedIsSaid) {
  limits_.set("store", "etcd://127.0.0.1:1/t");
  if (!std::filesystem::exists(bin() + "/../libexec/atmost/atmost-fleet")) GTEST_SKIP();
  const atmost::Held held = get();
  EXPECT_EQ(held.answer(), ATMOST_UNAVAILABLE);
  EXPECT_NE(held.reason().find("127.0.0.1:1"), std::string::npos) << held.reason();
}

}  // namespace
