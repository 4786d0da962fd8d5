#include "policy/circle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace atmost::policy {
namespace {

constexpr std::int64_t kForEver = Duration::kForever;

// Holds, processes and waiters, in the order in which they are added.
struct Nest {
  std::vector<TreeProcess> processes;
  std::vector<TreeHold> holds;
  std::vector<TreeWaiter> waiters;

  std::int32_t add(std::int32_t parent, bool rests) {
    processes.push_back({parent, kNobody, rests});
    return static_cast<std::int32_t>(processes.size()) - 1;
  }
  std::int32_t hold(std::uint32_t lock, std::int32_t parent = kNobody) {
    const std::int32_t root = add(parent, true);
    holds.push_back({.lock = lock, .root = root});
    return root;
  }
  // Drawn after all earlier ones.
  std::uint32_t wait(std::uint32_t lock, std::int32_t parent, bool no_room = true) {
    const auto index = static_cast<std::uint32_t>(waiters.size());
    const std::int64_t drawn = index + 1;
    if (parent != kNobody) {
      const std::int32_t process = add(parent, false);
      processes[static_cast<std::size_t>(process)].waiter = static_cast<std::int32_t>(index);
    }
    waiters.push_back({.lock = lock,
                       .queue = 1,
                       .ticket = static_cast<std::uint64_t>(drawn),
                       .since_boot_ns = drawn,
                       .pid = 100 + drawn,
                       .no_room = no_room});
    return index;
  }
  CircleFacts facts() const { return {processes, holds, waiters}; }
  bool leaves(std::uint32_t waiter, std::int64_t until = kForEver) const {
    Stuck circle;
    return has_to_leave(facts(), waiter, until, circle);
  }
};

// Two holds, in each a waiter for the other one's lock.
Nest two_locks() {
  Nest nest;
  const std::int32_t left = nest.hold(0);
  const std::int32_t right = nest.hold(1);
  nest.wait(1, left);
  nest.wait(0, right);
  return nest;
}

TEST(Circle, TheLastOfTwoLeaves) {
  const Nest nest = two_locks();
  EXPECT_FALSE(nest.leaves(0));
  EXPECT_TRUE(nest.leaves(1));
}

TEST(Circle, OfOneLock) {
  Nest nest;
  const std::int32_t first = nest.hold(0);
  const std::int32_t second = nest.hold(0);
  nest.wait(0, first);
  EXPECT_FALSE(nest.leaves(0));  // the second is at work: nothing below it waits
  nest.wait(0, second);
  EXPECT_FALSE(nest.leaves(0));
  EXPECT_TRUE(nest.leaves(1));
}

TEST(Circle, OfThreeLocks) {
  Nest nest;
  std::int32_t roots[3];
  for (std::uint32_t i = 0; i < 3; ++i) roots[i] = nest.hold(i);
  for (std::uint32_t i = 0; i < 3; ++i) nest.wait((i + 1) % 3, roots[i]);
  EXPECT_FALSE(nest.leaves(0));
  EXPECT_FALSE(nest.leaves(1));
  EXPECT_TRUE(nest.leaves(2));
}

TEST(Circle, AProcessAtWorkAnywhereEndsIt) {
  Nest nest = two_locks();
  nest.add(nest.holds[0].root, false);
  EXPECT_FALSE(nest.leaves(1));
}

TEST(Circle, AParentThatDoesMoreThanWaitIsAtWork) {
  Nest nest;
  const std::int32_t left = nest.add(nest.hold(0), false);
  const std::int32_t right = nest.hold(1);
  nest.wait(1, left);
  nest.wait(0, right);
  EXPECT_FALSE(nest.leaves(1));
}

TEST(Circle, AHoldThatMayEndLetsAWaiterIn) {
  Nest nest = two_locks();
  nest.add(nest.hold(1), false);
  EXPECT_FALSE(nest.leaves(1));
}

TEST(Circle, AHoldThatCannotBeSeenIsAtWork) {
  Nest nest = two_locks();
  nest.holds.push_back({.lock = 0});
  EXPECT_FALSE(nest.leaves(1));
}

TEST(Circle, AFreeSlotIsComing) {
  Nest nest = two_locks();
  nest.waiters[1].no_room = false;
  EXPECT_FALSE(nest.leaves(1));
}

// The waiter in front wants more slots than are free, and has none to give.
TEST(Circle, BehindAWaiterThatCannotCome) {
  Nest nest;
  const std::int32_t root = nest.hold(0);
  nest.wait(0, kNobody);
  nest.wait(0, root, false);
  EXPECT_TRUE(nest.leaves(1));
  nest.waiters[0].claims = false;
  EXPECT_FALSE(nest.leaves(1));
}

// A waiter outside of all holds gives nothing back, however late it came.
TEST(Circle, AnOuterWaiterIsNotRefused) {
  Nest nest = two_locks();
  nest.wait(0, kNobody);
  EXPECT_FALSE(nest.leaves(2));
  EXPECT_TRUE(nest.leaves(1));
}

TEST(Circle, TheLastThatLooksLeaves) {
  Nest nest = two_locks();
  nest.waiters[1].leaves = false;
  EXPECT_TRUE(nest.leaves(0));
}

TEST(Circle, AWaiterForACircleIsNotInIt) {
  Nest nest = two_locks();
  const std::int32_t third = nest.hold(2);
  nest.wait(0, third);
  EXPECT_FALSE(nest.leaves(2));
  EXPECT_TRUE(nest.leaves(1));
}

TEST(Circle, AWaiterForAMomentIsNotInIt) {
  Nest nest = two_locks();
  nest.waiters[0].claims = false;
  EXPECT_FALSE(nest.leaves(1));
}

TEST(Circle, AnEndBeforeItsOwnIsWaitedFor) {
  Nest nest = two_locks();
  nest.holds[0].ends_boot_ns = 1000;
  EXPECT_FALSE(nest.leaves(1));
  EXPECT_FALSE(nest.leaves(1, 1001));
  EXPECT_TRUE(nest.leaves(1, 1000));
}

TEST(Circle, AnExpiryBeforeItsOwnEndIsWaitedFor) {
  for (const std::uint32_t who : {0U, 1U}) {
    Nest nest = two_locks();
    nest.holds[1 - who].since_boot_ns = 0;
    nest.waiters[who].expire_after = {500};
    nest.holds[0].since_boot_ns = nest.holds[1].since_boot_ns = 500;
    EXPECT_FALSE(nest.leaves(1)) << who;
    EXPECT_TRUE(nest.leaves(1, 1000)) << who;
  }
}

TEST(Circle, NoExpiryReachesTheHoldsAround) {
  Nest nest;
  const std::int32_t root = nest.hold(0);
  nest.wait(0, root);
  nest.waiters[0].expire_after = {500};
  EXPECT_TRUE(nest.leaves(0));
}

// --- Against a model: whatever can happen, happens ---

class Model {
 public:
  explicit Model(const Nest& nest)
      : nest_(nest), ended_(nest.holds.size()), admitted_(nest.waiters.size()) {
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < ended_.size(); ++i) {
        if (!ended_[i] && may_end(i)) again = ended_[i] = true;
      }
      for (std::size_t i = 0; i < admitted_.size(); ++i) {
        if (!admitted_[i] && may_come(i)) again = admitted_[i] = true;
      }
    }
  }
  bool stays(std::size_t hold) const { return !ended_[hold]; }
  bool waits(std::size_t waiter) const { return !admitted_[waiter]; }

 private:
  bool waiter_below(std::int32_t process) const {
    for (std::size_t i = 0; i < nest_.processes.size(); ++i) {
      if (nest_.processes[i].parent != process) continue;
      if (nest_.processes[i].waiter != kNobody || waiter_below(static_cast<std::int32_t>(i)))
        return true;
    }
    return false;
  }
  bool acts_below(std::int32_t process) const {
    const TreeProcess& it = nest_.processes[static_cast<std::size_t>(process)];
    if (it.waiter != kNobody ? admitted_[static_cast<std::size_t>(it.waiter)]
                             : !it.rests || !waiter_below(process))
      return true;
    for (std::size_t i = 0; i < nest_.processes.size(); ++i) {
      if (nest_.processes[i].parent == process && acts_below(static_cast<std::int32_t>(i)))
        return true;
    }
    return false;
  }
  bool may_end(std::size_t hold) const { return acts_below(nest_.holds[hold].root); }
  bool may_come(std::size_t waiter) const {
    const TreeWaiter& it = nest_.waiters[waiter];
    bool held = false;
    for (std::size_t i = 0; i < ended_.size(); ++i) {
      if (nest_.holds[i].lock == it.lock && ended_[i]) return true;
      held = held || nest_.holds[i].lock == it.lock;
    }
    if (!held || !it.claims) return true;
    if (it.no_room) return false;
    for (std::size_t i = 0; i < admitted_.size(); ++i) {
      const TreeWaiter& ahead = nest_.waiters[i];
      if (ahead.lock == it.lock && ahead.queue == it.queue && ahead.ticket < it.ticket &&
          !admitted_[i])
        return false;
    }
    return true;
  }

  const Nest& nest_;
  std::vector<bool> ended_;
  std::vector<bool> admitted_;
};

Nest random_nest(std::mt19937& random) {
  const auto below = [&](int bound) {
    return std::uniform_int_distribution<int>(0, bound - 1)(random);
  };
  Nest nest;
  std::vector<std::int32_t> inner;
  const int locks = 1 + below(3);
  for (int i = 1 + below(5); i > 0; --i) {
    const std::int32_t parent =
        inner.empty() || below(2) == 0
            ? kNobody
            : inner[static_cast<std::size_t>(below(static_cast<int>(inner.size())))];
    inner.push_back(nest.hold(static_cast<std::uint32_t>(below(locks)), parent));
    if (below(3) == 0) inner.push_back(nest.add(inner.back(), below(6) != 0));
  }
  for (const std::int32_t process : inner) {
    for (int i = below(8) == 0 ? 2 : 1; i > 0; --i) {
      if (below(12) == 0) {
        nest.add(process, false);
      } else {
        const std::uint32_t waiter =
            nest.wait(static_cast<std::uint32_t>(below(locks)), process, below(8) != 0);
        nest.waiters[waiter].claims = below(16) != 0;
      }
    }
  }
  if (below(4) == 0) nest.wait(static_cast<std::uint32_t>(below(locks)), kNobody);
  std::vector<std::int64_t> order(nest.waiters.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i) + 1;
  std::shuffle(order.begin(), order.end(), random);
  for (std::size_t i = 0; i < order.size(); ++i) {
    nest.waiters[i].since_boot_ns = order[i];
    nest.waiters[i].ticket = static_cast<std::uint64_t>(order[i]);
  }
  return nest;
}

TEST(Circle, IsWhatTheModelCannotMove) {
  std::mt19937 random(20261127);
  int circles = 0;
  for (int round = 0; round < 20'000; ++round) {
    Nest nest = random_nest(random);
    // Each refusal lets a command go on; in the end nothing is stuck inside a hold.
    for (std::size_t refusals = 0;; ++refusals) {
      ASSERT_LE(refusals, nest.waiters.size());
      Stuck stuck;
      find_stuck(nest.facts(), stuck);
      const Model model(nest);
      bool any = false;
      for (std::size_t i = 0; i < nest.holds.size(); ++i) {
        ASSERT_EQ(stuck.holds[i], model.stays(i)) << round;
        any = any || stuck.holds[i];
      }
      for (std::size_t i = 0; i < nest.waiters.size(); ++i)
        ASSERT_EQ(stuck.waiters[i], model.waits(i)) << round;
      if (!any) break;
      ++circles;
      std::vector<int> members(nest.waiters.size());
      std::int32_t refused = kNobody;
      for (std::uint32_t i = 0; i < nest.waiters.size(); ++i) {
        Stuck circle;
        if (!has_to_leave(nest.facts(), i, kForEver, circle)) continue;
        refused = static_cast<std::int32_t>(i);
        for (std::size_t w = 0; w < members.size(); ++w) members[w] += circle.waiters[w] ? 1 : 0;
      }
      ASSERT_NE(refused, kNobody) << round;
      for (const int times : members) ASSERT_LE(times, 1) << "two of one circle leave";
      for (TreeProcess& process : nest.processes) {
        if (process.waiter == refused) process = {process.parent, kNobody, false};
      }
      nest.waiters[static_cast<std::size_t>(refused)].claims = false;
    }
  }
  EXPECT_GT(circles, 1000);
}

// Parents that were read at different moments may contradict one another.
TEST(Circle, ARingOfParentsEnds) {
  Nest nest = two_locks();
  const std::int32_t one = nest.add(kNobody, true);
  const std::int32_t other = nest.add(one, true);
  nest.processes[static_cast<std::size_t>(one)].parent = other;
  EXPECT_TRUE(nest.leaves(1));
}

}  // namespace
}  // namespace atmost::policy
