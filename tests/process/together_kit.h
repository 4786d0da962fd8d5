// Several locks at once: the test that a short run and a long one share.
#ifndef ATMOST_TESTS_PROCESS_TOGETHER_KIT_H
#define ATMOST_TESTS_PROCESS_TOGETHER_KIT_H

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "together_driver.h"

namespace witness {

// ATMOST_SEED=7 sets another seed. The seed is printed, so that a failure can be repeated.
inline void expect_no_deadlock_and_no_overlap(Crowd crowd) {
  if (const char* given = std::getenv("ATMOST_SEED"))
    crowd.seed = std::strtoull(given, nullptr, 10);
  TempDir directory;
  const Told told = Together(crowd, directory).run();
  std::cout << "seed " << crowd.seed << ": " << describe(told) << '\n';
  EXPECT_EQ(told.started, crowd.callers);
  EXPECT_TRUE(told.troubles.empty() && told.tally.overlaps().empty()) << describe(told);
  EXPECT_GE(told.tally.admissions() + told.refused + told.killed, crowd.callers)
      << "some were lost";
  for (unsigned lock = 0; lock < kLocks; ++lock) {
    EXPECT_EQ(told.tally.most(lock), kRoom[lock])
        << "never full: this run proves nothing about lock " << lock;
  }
}

}  // namespace witness

#endif
