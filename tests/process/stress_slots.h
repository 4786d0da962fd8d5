// The variants of the stress test, for the short run of every day and the long one.
#ifndef ATMOST_TESTS_PROCESS_STRESS_SLOTS_H
#define ATMOST_TESTS_PROCESS_STRESS_SLOTS_H

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "stress_driver.h"

namespace witness {

// Another seed: ATMOST_SEED=7. The seed is printed with the result, so that a failure can be had
// again.
inline std::uint64_t seed() {
  const char* given = std::getenv("ATMOST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
}

inline Argv limited(const std::string& lock, const Argv& options) {
  Argv argv{under_test("atmost"), "run"};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.insert(argv.end(), {lock, "--"});
  return argv;
}

class StressSlots : public ::testing::Test {
 protected:
  void expect_never_too_many(Plan plan) {
    plan.seed = seed();
    const Report report = Stress(plan, lock_, directory_).run();
    std::cout << "seed " << plan.seed << ": " << describe(report) << '\n';
    EXPECT_LE(report.replay.most_inside(), plan.limit);
    EXPECT_GE(report.replay.most_inside(), plan.limit) << "never full: this run proves nothing";
    EXPECT_GE(report.replay.admissions(), plan.admissions);
    EXPECT_TRUE(report.replay.contradictions().empty() && report.troubles.empty())
        << describe(report);
    EXPECT_GE(report.free_after_ns, 0) << "a slot was still held 50 ms after the last death";
    expect_all_slots_can_be_taken(plan.limit);
  }

  void expect_all_slots_can_be_taken(unsigned limit) {
    World world;
    const std::string n = std::to_string(limit);
    EXPECT_EQ(words(world.run(with({"-n", n, "-k", n}, {"/bin/true"}))), "exit 0");
  }

  Argv with(const Argv& options, const Argv& command) const {
    Argv argv = limited(lock_, options);
    argv.insert(argv.end(), command.begin(), command.end());
    return argv;
  }

  Recipe waiting(const Argv& more, unsigned limit = 4, unsigned weight = 1) const {
    Argv options{"-n", std::to_string(limit), "-w", "inf"};
    if (weight != 1) options.insert(options.end(), {"-k", std::to_string(weight)});
    options.insert(options.end(), more.begin(), more.end());
    return {limited(lock_, options), weight, limit, 0, true};
  }

  // The original's procedure: takes part in the same file, never waits.
  Recipe stranger(unsigned limit = 4) const {
    return {{helper("plain_scan"), lock_, std::to_string(limit)}, 1, limit, 1, true};
  }

  // 64 workers, N = 4.
  Plan plain(std::uint64_t admissions) const {
    Plan plan;
    plan.admissions = admissions;
    plan.recipes = {waiting({})};
    return plan;
  }
  Plan mixed_modes(std::uint64_t admissions) const {
    Plan plan = plain(admissions);
    plan.recipes = {waiting({}), waiting({"--exec"}), waiting({"--until=tree"}),
                    waiting({"--exec", "--until=close"}), waiting({"--close"})};
    plan.recipes.back().supervisor_may_die = false;
    plan.end_by_killing = true;
    return plan;
  }
  Plan mixed_limits(std::uint64_t admissions) const {
    Plan plan = plain(admissions);
    plan.recipes = {waiting({}, 4), waiting({}, 3), waiting({}, 2), waiting({}, 4),
                    waiting({"--exec"}, 3)};
    plan.end_by_killing = true;  // a small N may starve: that is documented, and no fault
    return plan;
  }
  Plan weights(std::uint64_t admissions) const {
    Plan plan = plain(admissions);
    plan.recipes = {waiting({}, 4, 1), waiting({}, 4, 2), waiting({}, 4, 4),
                    waiting({"--exec"}, 4, 3)};
    return plan;
  }
  Plan strangers(std::uint64_t admissions) const {
    Plan plan = plain(admissions);
    plan.recipes = {waiting({}), stranger(), waiting({"--exec"}),
                    waiting({"--exec", "--until=close"}), stranger()};
    plan.end_by_killing = true;
    return plan;
  }

  TempDir directory_;
  const std::string lock_ = directory_.file("lock");
};

}  // namespace witness

#endif
