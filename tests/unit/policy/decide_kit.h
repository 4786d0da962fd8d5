// A request, a lock and a view of it, made up: no store, no clock.
#ifndef ATMOST_TESTS_UNIT_POLICY_DECIDE_KIT_H
#define ATMOST_TESTS_UNIT_POLICY_DECIDE_KIT_H

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "policy/decide.h"

namespace atmost::policy {

inline constexpr std::int64_t kSecond = 1'000'000'000;
inline constexpr Instant kNow = {1'700'000'000 * kSecond, 5'000 * kSecond, false};

// Stamps `ago` seconds before kNow.
constexpr Stamp same_boot(std::int64_t ago) {
  return {kNow.real_ns - ago * kSecond, kNow.boot_ns - ago * kSecond, true, true};
}
constexpr Stamp other_boot(std::int64_t ago) {
  return {kNow.real_ns - ago * kSecond, 123, false, true};
}

class Decide : public ::testing::Test {
 protected:
  Decision ask(const Instant& now = kNow) { return decide(request, lock, view, now); }
  void hold(std::initializer_list<std::int64_t> ages_s) {
    for (std::int64_t age : ages_s) {
      HolderView holder;
      holder.slot = static_cast<std::uint32_t>(holders_.size() + 1);
      if (age >= 0) holder.start = same_boot(age);
      holders_.push_back(holder);
    }
    view.holders = {holders_.data(), holders_.size()};
    view.held = static_cast<std::uint32_t>(holders_.size());
    view.has_room = view.held + lock.take <= lock.max;
  }
  // The holder of `slot` is a library's, and has agreed to nothing.
  void make_immune(std::uint32_t slot) {
    holders_[slot - 1].kind = HolderKind::library;
    holders_[slot - 1].eviction = Eviction::none;
    holders_[slot - 1].pid = 1000 + slot;
  }
  void make_foreign(std::uint32_t slot) {
    holders_[slot - 1].foreign_lock = true;
    holders_[slot - 1].pid = 1000 + slot;
  }
  // The supervisor of `slot` had that --max-runtime, and was killed.
  void leave(std::uint32_t slot, Duration max_runtime, bool died = true, std::int64_t by = 77) {
    holders_[slot - 1].max_runtime = max_runtime;
    holders_[slot - 1].supervisor_died = died;
    holders_[slot - 1].left_by = by;
  }
  std::vector<std::uint32_t> victims() {
    const Decision answer = ask();
    EXPECT_EQ(answer.verdict == Verdict::take_over, answer.victim_count > 0);
    return {answer.victims, answer.victims + answer.victim_count};
  }

  Request request;
  LockSpec lock;
  View view;

 private:
  std::vector<HolderView> holders_;
};
using Victims = std::vector<std::uint32_t>;

}  // namespace atmost::policy

#endif
