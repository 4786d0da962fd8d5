// What the library refuses in a store of many machines, and in what words.
#include <cmath>

#include "fleet_kit.h"

namespace {

class FleetRefusals : public FleetLibrary {};

TEST_F(FleetRefusals, WhatRunRefusesIsRefused) {
  limits_.trust_fs = 1;
  EXPECT_EQ(get().answer(), ATMOST_USAGE);
  EXPECT_STREQ(atmost_message(),
               "--trust-fs: a fleet's lock lies on no filesystem of this machine: leave it out");
  limits_.trust_fs = 0;
  limits_.expire_after = ATMOST_AUTO;
  EXPECT_EQ(get().answer(), ATMOST_USAGE);
  limits_.expire_after = INFINITY;
  limits_.may_be_killed = 1;
  EXPECT_EQ(get().answer(), ATMOST_USAGE);
  limits_.may_be_killed = 0;
  name_ = "/tmp/elsewhere";
  EXPECT_EQ(get().answer(), ATMOST_USAGE) << atmost_message();
  EXPECT_FALSE(std::filesystem::exists(name_));
  EXPECT_EQ(atmost_check("a", &limits_, nullptr), ATMOST_USAGE);
  EXPECT_EQ(atmost_list(
                "a", &limits_, [](void*, const atmost_entry*) { return 0; }, nullptr),
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
  limits_.store = "etcd://127.0.0.1:1/t";
  if (!std::filesystem::exists(bin() + "/../libexec/atmost/atmost-fleet")) GTEST_SKIP();
  const atmost::Held held = get();
  EXPECT_EQ(held.answer(), ATMOST_UNAVAILABLE);
  EXPECT_NE(held.reason().find("127.0.0.1:1"), std::string::npos) << held.reason();
}

}  // namespace
