// One lock in a directory of its own, and the limits that are learned from its runs.
#ifndef ATMOST_TESTS_LEARN_KIT_H
#define ATMOST_TESTS_LEARN_KIT_H

#include <gtest/gtest.h>

#include "policy/learn.h"

namespace atmost::policy {

inline Duration seconds(double s) { return {static_cast<std::int64_t>(s * 1e9)}; }

inline RunSample run_of(Duration ran) {
  RunSample run;
  run.ran = ran;
  return run;
}

class Learn : public ::testing::Test {
 protected:
  RunLimit limit() const { return run_limit(lock_stats, directory_stats, bounds); }
  void run(double s) { run_completed(lock_stats, directory_stats, run_of(seconds(s))); }
  void killed() { run_killed(lock_stats, directory_stats, run_of(limit().limit)); }

  LockStats lock_stats{};
  DirectoryStats directory_stats{};
  LearnedBounds bounds;
};

}  // namespace atmost::policy

#endif
