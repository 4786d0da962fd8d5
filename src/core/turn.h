// Turns: a free slot is owed to the waiter that came first, and a turn is used or passed.
// A turn begins when any caller sees a free slot that is owed to a waiter and that the waiter could
// take. A waiter that has not taken it kTurn later is overtaken, whatever the reason. It keeps its
// place, and counts again as soon as it asks again. Pure: the moments are passed in, all of them by
// the boot clock.
#ifndef ATMOST_TURN_H
#define ATMOST_TURN_H

#include <cstdint>

#include "core/time.h"

namespace atmost {

inline constexpr Duration kTurn = Duration::seconds(1);
// While no caller is admitted, the turns of the following waiters end at this distance from one
// another, all of them within another kTurn. So a slot stays free for two turns at most, however
// many waiters are paused.
inline constexpr Duration kNextTurn = Duration::millis(100);

// Decides which waiters in front of a caller still count, one after another in their order.
class Turns {
 public:
  // last_admission_boot_ns: of the lock; 0 when it is not known.
  constexpr Turns(std::int64_t now_boot_ns, std::int64_t last_admission_boot_ns)
      : now_(now_boot_ns), last_admission_(last_admission_boot_ns) {}

  // True if the waiter's turn has ended, so that the waiter does not count. `began`: when the turn
  // began; 0 or a moment in the future: it had none.
  constexpr bool overtaken(std::int64_t began) {
    if (!noted(began) || now_ - began < kTurn.ns) return false;
    // The others' turns follow from this one only if the slot has been free since.
    const std::int64_t end = began + kTurn.ns;
    if (began < last_admission_ || now_ - end > kRecentNs) return true;
    if (first_end_ == 0 || end < first_end_) first_end_ = end;
    if (end > last_end_) last_end_ = end;
    return true;
  }

  enum class Standing : std::uint8_t {
    begins,   // its turn begins now: note it
    running,  // until ends()
    passed,   // its turn followed another's and has ended: note it as begun kTurn ago
  };
  // REQUIRES: it was not overtaken, and could take what is free.
  constexpr Standing next(std::int64_t began) {
    if (noted(began)) {
      ends_ = began + kTurn.ns;
      return Standing::running;
    }
    if (first_end_ == 0) return begin(kTurn);
    const std::int64_t latest = first_end_ + kTurn.ns;
    const std::int64_t end = last_end_ + kNextTurn.ns < latest ? last_end_ + kNextTurn.ns : latest;
    if (end > now_) {
      ends_ = end;
      return Standing::running;
    }
    last_end_ = end;
    return Standing::passed;
  }
  // Instead of `passed`, for a waiter that was not called: if it runs, it comes soon after the
  // call.
  constexpr Standing call() { return begin(kNextTurn); }
  // When the turn began, and when it ends, that next() or call() found.
  constexpr std::int64_t began() const { return ends_ - kTurn.ns; }
  constexpr std::int64_t ends() const { return ends_; }

 private:
  static constexpr std::int64_t kRecentNs = 2 * kTurn.ns;

  constexpr Standing begin(Duration left) {
    ends_ = plus(now_, left);
    return Standing::begins;
  }
  constexpr bool noted(std::int64_t began) const { return began > 0 && began <= now_; }

  std::int64_t now_;
  std::int64_t last_admission_;
  std::int64_t first_end_ = 0;  // of the turns that ended while the slot was free; 0: none
  std::int64_t last_end_ = 0;
  std::int64_t ends_ = 0;
};

}  // namespace atmost

#endif
