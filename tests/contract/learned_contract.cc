// Lessons from runs outlive callers, and are known to all of them.
#include "contract.h"
#include "policy/limits.h"

namespace atmost::contract {
namespace {

struct Known {
  StatsKept kept = StatsKept::none;
  LockStats lock{};
  DirectoryStats directory{};
};

Known known_to(Caller& caller) {
  Known known;
  const Result<StatsKept> kept = caller.store().recall(caller.request, known.lock, known.directory);
  EXPECT_TRUE(kept.ok()) << kept.error().message.c_str();
  if (kept.ok()) known.kept = kept.value();
  return known;
}

// If worlds share a store, it also has other tests' locks.
float all_runs(const DirectoryStats& directory) {
  float runs = 0;
  for (float of_step : directory.runs) runs += of_step;
  return runs;
}

bool learn(Caller& caller, Duration ran) {
  caller.request.make_parents = true;  // a directory of ours: there may be a file beside the lock
  RunSample sample;
  sample.ran = ran;
  return caller.session().learn(0, policy::remember, sample);
}

}  // namespace

TEST_P(StoreContract, WhatOneLearnsAllKnow) {
  NEEDS(remembers_runs);
  Caller& first = one(2);
  for (int i = 0; i < 3; ++i) learn(first, Duration::seconds(60));
  Caller& second = one(2);
  learn(second, Duration::seconds(60));
  const Known known = known_to(one(1));
  EXPECT_EQ(known.kept, StatsKept::kept);
  EXPECT_EQ(known.lock.completed, 4u);
  EXPECT_GE(all_runs(known.directory), 4);
}

TEST_P(StoreContract, LearningSaysWhetherARunWasTooFast) {
  NEEDS(remembers_runs);
  Caller& caller = one(1);
  for (int i = 0; i < 60; ++i) EXPECT_FALSE(learn(caller, Duration::seconds(60)));
  EXPECT_TRUE(learn(caller, Duration::millis(20)));
}

TEST_P(StoreContract, OfALockThatNobodyUsedNothingIsKnown) {
  NEEDS(remembers_runs);
  const Known known = known_to(one(1));
  EXPECT_EQ(known.kept, StatsKept::kept);
  EXPECT_EQ(known.lock.completed, 0u);
}

TEST_P(StoreContract, ForgettingALockLeavesWhatTheOthersTaught) {
  NEEDS(remembers_runs);
  Caller& caller = one(1);
  learn(caller, Duration::seconds(60));
  forget();
  const Known known = known_to(one(1));
  EXPECT_EQ(known.lock.completed, 0u);
  EXPECT_GE(all_runs(known.directory), 1);
}

}  // namespace atmost::contract
