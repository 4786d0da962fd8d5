// Stopping overdue holders carefully: the schedule of INT, TERM and KILL, and when to give up.
#ifndef ATMOST_LIMITER_TAKEOVER_H
#define ATMOST_LIMITER_TAKEOVER_H

#include <cstdint>
#include <utility>

#include "core/limiter.h"
#include "core/store.h"

namespace atmost::limiter {

// The outcome for the victims of a decision.
enum class Takeover : std::uint8_t {
  freed,     // every slot was released: ask again
  taken,     // another taker is stopping them
  young,     // one is younger than by its record: no process was signalled
  immune,    // a holder's program has not agreed to be stopped: decision.culprit names it
  survived,  // a holder is still there after KILL and its pause (disk wait): decision.culprit names
             // it
};

// The reason for which holders are stopped, and the age from which on.
struct Motive {
  StopReason reason = StopReason::overdue;
  Duration due{};                   // 0: whatever their age
  const Limits* learned = nullptr;  // where `due` was learned
};

// A holder that is being stopped, as far as it is known.
struct HolderToStop {
  std::int64_t pid = 0;
  std::uint64_t token = 0;
  Duration age = Duration::forever();           // forever: not known
  Duration expire_after = Duration::forever();  // the limit that it exceeded
  StopReason reason = StopReason::overdue;
};

// A signal to it. `worked`: the slot was free after this one.
struct SentSignal {
  int signal = 0;
  bool worked = false;
  Instant sent;
};

// The history's part of a takeover.
class TakeoverLog {
 public:
  // Before the first signal to it, whatever the reason.
  virtual void expired(std::uint32_t lock, std::uint32_t slot, const HolderToStop& holder) = 0;
  // When it is known whether the signal worked.
  virtual void signalled(std::uint32_t lock, std::uint32_t slot, const HolderToStop& holder,
                         const SentSignal& signal) = 0;
  // The signal was refused by the process (of the holder, or below it).
  virtual void unreached(std::uint32_t lock, std::uint32_t slot, const HolderToStop& holder,
                         int signal, std::int64_t pid) = 0;

 protected:
  ~TakeoverLog() = default;
};

struct OpenLocks;

// The victims of a decision while they are being stopped: newcomers leave their slots alone.
struct HolderStops {
  Owned<HolderStop> of[kMaxVictims];  // `count` of them
  std::uint32_t count = 0;
  void add(Owned<HolderStop>&& stop) { of[count++] = std::move(stop); }
  // Opens the slots to newcomers again.
  void end() {
    while (count > 0) of[--count].close();
  }
};

// Where a takeover is reported; each may be null.
struct TakeoverReports {
  Observer* observer = nullptr;
  TakeoverLog* log = nullptr;
};

// Signals the victims of `decision` (take_over) with INT, TERM and KILL, request.kill_grace after
// each, ending as soon as their slots are free. Blocks at most three graces and a little more;
// victims are stopped at the same time. Victims that have held for less than `why.due` are left
// alone, whatever the decision saw (with a given time, only the records count). The slots stay
// closed to newcomers until the caller ends `stops`, which it does after its next attempt. Error:
// not_permitted when a holder cannot be proven from here, or is this process or an ancestor of it.
Result<Takeover> take_over(const OpenLocks& locks, const Motive& why, Decision& decision,
                           HolderStops& stops, const TakeoverReports& reports);

}  // namespace atmost::limiter

#endif
