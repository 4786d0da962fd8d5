// The waiters with a better claim to the free slots than a caller.
#ifndef ATMOST_RULE_CLAIMS_H
#define ATMOST_RULE_CLAIMS_H

#include <cstdint>

#include "core/turn.h"
#include "facts.h"

namespace atmost::rule {

// Walks the waiters in front of the asker. Begins the turn of the first of them that claims the
// room and had none, and ends turns that were not used: both are noted, once each.
class Claims {
 public:
  // REQUIRES: there is room for the asker beside `held` slots of others.
  Claims(Facts& facts, const Asker& asker, std::uint32_t held, std::int64_t now_boot_ns)
      : facts_(facts), asker_(asker), held_(held), now_(now_boot_ns) {}

  void settle();

  bool owed() const { return owed_; }
  std::uint32_t ahead() const { return claimants_ > 0 ? claimants_ : 1; }  // at least
  // When the turn ends that the room is reserved for.
  std::int64_t until_boot_ns() const { return until_; }

 private:
  void settle_writers();
  void settle_readers(std::uint64_t writer);
  void settle_queue();
  Turns fresh_turns() { return {now_, facts_.last_boot_ns()}; }
  bool is_behind(std::uint64_t ticket) const;
  bool claims_nothing(const Waiter& waiter) const;
  bool keeps_turn(Turns& turns, Queue queue, const Waiter& waiter);
  bool fits(std::uint32_t count);
  bool could_come(const Waiter& waiter);
  void owe_turn(Turns& turns, const Waiter& waiter);
  void owe(std::int64_t until_boot_ns);

  Facts& facts_;
  const Asker& asker_;
  const std::uint32_t held_;
  const std::int64_t now_;
  std::uint32_t claimants_ = 0;
  std::uint32_t claimed_ = 0;
  bool rate_claimed_ = false;  // by a waiter with a rate
  bool owed_ = false;
  std::int64_t until_ = Duration::kForever;
};

}  // namespace atmost::rule

#endif
