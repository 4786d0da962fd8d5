// The locks of a request, as all stores of many machines see them.
#ifndef ATMOST_STORE_FLEET_LOCKS_H
#define ATMOST_STORE_FLEET_LOCKS_H

#include <cstdint>
#include <string>
#include <string_view>

#include "core/hold.h"
#include "core/request.h"
#include "core/result.h"
#include "core/stats.h"
#include "core/text.h"
#include "os/clock.h"

namespace atmost::fleet {

// A lock's key: the part of its path behind the last slash.
std::string_view key_of(const LockSpec& lock);

// An error (usage) if the request has one lock twice.
Status check_distinct(const Request& request);

// Finds out if a caller would wait for itself: for slots that its own ancestors on this machine
// hold. Gets the holder of each slot of one lock, then gives the answer. A process in another pid
// namespace than the holder cannot see it as an ancestor.
class OwnTree {
 public:
  OwnTree();
  // From the holder's record. Reads /proc where host and boot are ours.
  void see(std::string_view host, std::uint64_t boot, std::int64_t pid, bool exclusive);
  // True if our ancestors hold so much that waiting would never end; one is enough when either side
  // is exclusive.
  bool blocks(const LockSpec& spec) const;

 private:
  Text<255> host_;
  std::uint64_t boot_;
  std::uint64_t slots_ = 0;
  bool exclusive_ = false;
};

// Stopping a holder of a store that many machines share: it is asked through the store, and stops
// itself. A taker looks every few milliseconds, and the store is not asked as often.
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

// Statistics of runs (core/stats.h) as bytes of a fleet's store. Hosts of either byte order and of
// older and newer versions may share a store: bytes of another form count as nothing.

std::string bytes_of(const LockStats& stats);
std::string bytes_of(const DirectoryStats& stats);

// All zero for bytes of another form. The values are checked by those who use them
// (policy/learn.h).
void read_bytes(std::string_view bytes, LockStats& stats);
void read_bytes(std::string_view bytes, DirectoryStats& stats);

}  // namespace atmost::fleet

#endif
