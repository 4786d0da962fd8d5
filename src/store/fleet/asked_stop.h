// Stopping a holder of a store that many machines share: it is asked through the store, and stops
// itself.
#ifndef ATMOST_STORE_FLEET_ASKED_STOP_H
#define ATMOST_STORE_FLEET_ASKED_STOP_H

#include <cstdint>

#include "core/hold.h"
#include "os/clock.h"

namespace atmost::fleet {

// A taker looks every few milliseconds, and the store is not asked as often.
class AskedStop : public HolderStop {
 public:
  Result<SignalResult> signal(SignalStep step) final {
    constexpr Duration kPause = Duration::millis(50);
    const bool lately = os::boot_ns() < plus(asked_boot_ns_, kPause);
    if (lately && step != SignalStep::prove && step <= step_) {
      found_.signalled = 0;
      return found_;
    }
    Result<SignalResult> found = ask(step);
    if (!found.ok()) return found;
    asked_boot_ns_ = os::boot_ns();
    step_ = step;
    found_ = found.value();
    return found;
  }

 protected:
  ~AskedStop() = default;

 private:
  // As signal(), by the store.
  virtual Result<SignalResult> ask(SignalStep step) = 0;

  std::int64_t asked_boot_ns_ = 0;
  SignalStep step_ = SignalStep::look;
  SignalResult found_;
};

}  // namespace atmost::fleet

#endif
