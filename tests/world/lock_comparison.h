// One run of random steps on the real kernel and on the model (compare_locks.cc).
#ifndef ATMOST_TESTS_WORLD_LOCK_COMPARISON_H
#define ATMOST_TESTS_WORLD_LOCK_COMPARISON_H

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "actors.h"
#include "comparison.h"
#include "lock_scene.h"
#include "lock_steps.h"

namespace world {

// The kernel did what the model does not admit.
struct Difference : std::runtime_error {
  using runtime_error::runtime_error;
};

class LockComparison {
 public:
  explicit LockComparison(Counts& counts);

  // False: the step does not fit the state, and nothing was done. Throws Difference or Stuck.
  bool make(const LockStep& step);
  std::string text() const { return scene_.text(); }

 private:
  // The call that an actor sleeps in, or was stopped in.
  struct Sleep {
    LockItem item;
    int table = 0;
    bool stopped = false;
    // The call, which is made anew after a handler with SA_RESTART, or SIGCONT: SEEK_END may mean
    // other bytes by then.
    int slot = 0;
    LockCall call;
  };

  bool busy(int actor) const { return sleeps_[static_cast<std::size_t>(actor)].has_value(); }
  // True if a step with a descriptor can be made.
  bool fits(const LockStep& step) const;
  bool make_with_descriptor(const LockStep& step);
  bool make_with_process(const LockStep& step);
  bool disturb(const LockStep& step);
  bool lock(const LockStep& step);
  bool race(const LockStep& step);
  void query(int actor, int slot, const LockCall& call, const LockRequest& request);

  bool may_ask(int actor, int slot, const LockCall& call) const;
  void add_items(int actor, const LockRequest& request, bool flock,
                 std::vector<LockItem>& to) const;
  void ask(int actor, const Order& order, int error);
  void check(const Answer& answer, int error) const;
  // The call of an actor that just got the order for it.
  void judge(int actor, int slot, const LockCall& call);
  // The items of one or two actors that got the order for a request; and the callers that they let
  // go.
  void settle(int table, std::vector<LockItem> items);
  void settle_all();
  void sleep(int actor, int slot, const LockCall& call);
  void collect(int table, std::vector<LockItem>& items) const;
  bool rests(int table, const std::vector<LockItem>& items) const;
  void count(const std::string& what) { ++counts_.of[what]; }
  [[noreturn]] void differ(const std::string& what) const;

  Counts& counts_;
  Actors actors_;
  LockScene scene_;
  std::array<std::optional<Sleep>, kLockActors> sleeps_;
};

}  // namespace world

#endif
