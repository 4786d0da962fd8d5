// Made-up events for tests of the witness: what a caller does at its locks, in few words.
#ifndef ATMOST_TESTS_WORLD_WITNESS_KIT_H
#define ATMOST_TESTS_WORLD_WITNESS_KIT_H

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "world/witness.h"

namespace world {

class Story : public ::testing::Test, public LockTable {
 public:
  Holding held_by(int process, int lock) const override {
    const auto found = table_.find({process, lock});
    return found == table_.end() ? Holding{} : found->second;
  }

 protected:
  static constexpr std::int64_t kMs = kMillisecondNs;

  static Claim claim(std::int64_t max, std::int64_t take = 1) {
    Claim made;
    made.run.max = max;
    made.run.take = take;
    return made;
  }
  static Claim waiting(std::int64_t max, std::int64_t wait_ns = 600 * kSecondNs) {
    Claim made = claim(max);
    made.run.wait_ns = wait_ns;
    return made;
  }
  static Claim in_mode(Mode mode) {
    Claim made = waiting(4);
    made.run.mode = mode;
    return made;
  }

  void after(std::int64_t ns) {
    now_ += ns;
    witness_.passes(now_);
  }
  void asks(int process, const Claim& claim) {
    claims_[process] = claim;
    witness_.asks(now_, process, claim);
  }
  void changes(int process, const Holding& held, int lock = 1) {
    table_[{process, lock}] = held;
    witness_.locks_changed(now_, process, lock);
  }
  void takes_guard(int process, int lock = 1) {
    Holding held = held_by(process, lock);
    held.guard = true;
    changes(process, held, lock);
  }
  void drops_guard(int process, int lock = 1) {
    Holding held = held_by(process, lock);
    held.guard = false;
    changes(process, held, lock);
  }
  // The lowest slots that nobody has.
  Holding with_slots(int process, std::uint32_t count, int lock = 1) {
    std::uint64_t taken = 0;
    for (const auto& [where, held] : table_)
      if (where.second == lock) taken |= held.which;
    Holding held = held_by(process, lock);
    for (std::uint32_t i = 0; i < 64 && held.slots < count; ++i) {
      if ((taken >> i & 1) != 0) continue;
      held.which |= std::uint64_t{1} << i;
      ++held.slots;
    }
    return held;
  }
  // Decides to come in, and drops the guard.
  void enters(int process, int lock = 1) {
    takes_guard(process, lock);
    Holding held = with_slots(process, claims_[process].slots(), lock);
    held.writer = claims_[process].writes();
    held.places = 0;
    changes(process, held, lock);
    drops_guard(process, lock);
  }
  void returns(int process, std::uint64_t token) {
    const std::uint64_t tokens[] = {token, token};
    witness_.admitted(now_, process, tokens);
  }
  void runs(int process) {
    enters(process);
    returns(process, ++token_);
  }
  void comes(int process, const Claim& claim) {
    asks(process, claim);
    runs(process);
  }
  // Is refused under the guard, and goes on waiting.
  void queues(int process, int lock = 1) {
    takes_guard(process, lock);
    Holding held = held_by(process, lock);
    held.places = 1;
    changes(process, held, lock);
    drops_guard(process, lock);
  }
  void waits(int process, const Claim& claim) {
    asks(process, claim);
    queues(process);
  }
  void is_refused(int process, Refusal why, int lock = 1) {
    takes_guard(process, lock);
    drops_guard(process, lock);
    changes(process, {}, lock);
    witness_.refused(now_, process, lock, why);
  }
  void leaves(int process, Ends how = kSucceeds) {
    witness_.releases(now_, process, how);
    takes_guard(process);
    changes(process, {});
    witness_.released(now_, process);
  }
  void is_killed(int process) {
    witness_.dying(now_, process, true);
    changes(process, {});
    witness_.died(now_, process, 0);
  }

  std::string broken() const { return witness_.violation() ? witness_.violation()->invariant : ""; }
  std::string words() const { return witness_.violation() ? witness_.violation()->text : ""; }

  std::map<std::pair<int, int>, Holding> table_;
  std::map<int, Claim> claims_;
  std::int64_t now_ = 1000 * kSecondNs;
  std::uint64_t token_ = 0;
  Witness witness_{*this};
};

#define EXPECT_KEPT() EXPECT_EQ(broken(), "") << words()
#define EXPECT_BROKEN(name) EXPECT_EQ(broken(), name) << words()

}  // namespace world

#endif
