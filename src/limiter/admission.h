// From a request to a lease: ask, wait, ask again.
#ifndef ATMOST_LIMITER_ADMISSION_H
#define ATMOST_LIMITER_ADMISSION_H

#include <cstdint>

#include "core/limiter.h"
#include "core/store.h"
#include "os/wait_gate.h"

namespace atmost::limiter {

class TakeoverLog;

// The locks of a request, open. Borrows all of it.
struct OpenLocks {
  const Request& request;
  const StoreTraits& traits;
  Session& session;
};

// Ours: Ctrl-Z while waiting gives up the place in the queue and stops this process. Theirs: the
// library, in another program's process, leaves signals alone.
enum class Signals : std::uint8_t { ours, theirs };

struct Asking {
  Signals signals = Signals::ours;
  bool at_once = false;        // does not wait, whatever the request says
  TakeoverLog* log = nullptr;  // records what happens to overdue holders
  // If a signal handler runs at this gate, the wait ends and the answer fails with
  // Code::interrupted.
  const os::WaitGate* gate = nullptr;
};

// Asks with `decide` until the answer is final: admitted (then `lease` is held and kind is ran), or
// refused, or failed. Blocks as the request says. `observer` may be null.
Outcome admit(const OpenLocks& locks, DecideFn decide, Observer* observer, Lease& lease,
              const Asking& how = {});

// policy::decide, but "admit" and "take over" become "busy" with Why::none. So the store holds and
// writes nothing, and no holder is stopped.
Decision would_admit(const Request& request, const LockSpec& lock, const View& view,
                     const Instant& now);
constexpr bool is_yes(const Decision& decision) {
  return decision.verdict == Verdict::busy && decision.why == Why::none;
}

// Tells the lock's statistics of a refusal as too soon: callers that keep asking count for the
// learned interval. Does nothing for other outcomes and for requests that learn none.
void learn_refusal(const OpenLocks& locks, const Outcome& outcome);

// The moment for which a decision is made: the clock's, or the one that the caller gave.
Instant moment(const Request& request);

}  // namespace atmost::limiter

#endif
