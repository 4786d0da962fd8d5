// A caller with one lock or two, and the locks.
#ifndef ATMOST_TESTS_UNIT_RULE_JUDGE_KIT_H
#define ATMOST_TESTS_UNIT_RULE_JUDGE_KIT_H

#include <gtest/gtest.h>

#include "rule/table_kit.h"

namespace atmost::rule {

class Judge : public ::testing::Test {
 protected:
  Judge() { request.lock_count = 1; }

  // `waits`: with the place `ticket`.
  const Plan& ask(bool waits = false, const Instant& now = kNow) {
    Facts* facts[] = {&lock.facts, &other.facts};
    const Ticket* const queue = waits ? &ticket : nullptr;
    Asker first = asker_of(request, queue, 0);
    if (limit.max > 0) {
      under_limit = limited(spec(), limit);
      lock.facts.limit = &limit;
      first.lock = lock.facts.limited = &under_limit;
    }
    lock.look(first);
    if (breaks) lock.facts.break_down();
    other.look(asker_of(request, queue, 1));
    decision = Decision();
    plan.emplace(decision);
    judge({facts, request.lock_count}, {&request, queue, now.boot_ns}, policy::decide, now, *plan);
    return *plan;
  }
  void draw(std::uint64_t number) {
    ticket.drawn = true;
    ticket.numbers[0] = ticket.numbers[1] = number;
  }
  LockSpec& spec() { return request.locks[0]; }

  Request request;
  RecordedLimit limit;  // of the first lock; max 0: it has none
  LockSpec under_limit;
  Ticket ticket;
  TestLock lock;
  TestLock other;
  bool breaks = false;
  Decision decision;
  std::optional<Plan> plan;
};

}  // namespace atmost::rule

#endif
