// The promises of a queue: no waiter is lost, late, or before its turn.
#ifndef ATMOST_TESTS_PROCESS_HANDOFF_ORDER_H
#define ATMOST_TESTS_PROCESS_HANDOFF_ORDER_H

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "handoff_queue.h"

namespace witness {

// `one_in`: of how many handoffs one may be late. Every other one on a machine that others may load
// as well; with nothing else running one in a hundred.
inline void expect_order(const QueuePlan& plan, std::size_t one_in = 2) {
  TempDir directory;
  const QueueReport report = Queue(plan, directory).run();
  std::cout << describe(report) << '\n';
  EXPECT_EQ(report.out_of_order, 0u);
  EXPECT_TRUE(report.troubles.empty() && report.replay.contradictions().empty())
      << describe(report);
  EXPECT_EQ(report.replay.most_inside(), plan.limit);
  ASSERT_FALSE(report.latencies_ns.empty());
  // A lost wake-up is healed by the head's look once a second, so it shows as a late handoff, not
  // as a hang.
  std::vector<std::int64_t> sorted = report.latencies_ns;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_LT(sorted[sorted.size() - 1 - sorted.size() / one_in], 500'000'000);
}

inline QueuePlan queue_plan(unsigned handoffs, unsigned limit, unsigned kill_every,
                            const Argv& options = {}) {
  QueuePlan plan;
  plan.handoffs = handoffs;
  plan.limit = limit;
  plan.kill_every = kill_every;
  plan.options = options;
#ifdef ATMOST_TESTS_SLOW
  plan.handoffs /= 20;
  plan.waiters = 30;
#endif
  return plan;
}

}  // namespace witness

#endif
