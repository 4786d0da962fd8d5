// From a request to a lease: ask, wait, ask again.
#ifndef ATMOST_LIMITER_ADMISSION_H
#define ATMOST_LIMITER_ADMISSION_H

#include <cstdint>

#include "core/limiter.h"
#include "core/store.h"
#include "os/waiting.h"

namespace atmost::limiter {

class IdleWatch;
class TakeoverLog;

// The locks of a request, open. Borrows its parts.
struct OpenLocks {
  const Request& request;
  const StoreTraits& traits;
  Session& session;
};

// ours: Ctrl-Z while waiting gives up the place in the queue and stops this process. theirs: the
// library, in another program's process, does not change how signals are handled.
enum class Signals : std::uint8_t { ours, theirs };

struct Asking {
  Signals signals = Signals::ours;
  bool at_once = false;        // does not wait, even if the request has a wait
  TakeoverLog* log = nullptr;  // records what happens to overdue holders
  IdleWatch* idle = nullptr;   // for request.expire_idle; null: ignores it
  Store* store = nullptr;      // null: a circle of waiting callers is not looked for
  // If a signal handler runs at this gate, the wait ends and the answer fails with
  // Code::interrupted.
  const os::WaitGate* gate = nullptr;
};

// Asks with `decide` until the answer is final: admitted (then `lease` is held and kind is ran), or
// refused, or failed. Blocks as long as the request allows. `observer` may be null.
Outcome admit(const OpenLocks& locks, DecideFn decide, Observer* observer, Lease& lease,
              const Asking& how = {});

// policy::decide, but with "busy" and Why::none instead of "admit" and "take over". So the store
// holds and writes nothing, and no holder is stopped.
Decision would_admit(const Request& request, const LockSpec& lock, const View& view,
                     const Instant& now);
constexpr bool is_yes(const Decision& decision) {
  return decision.verdict == Verdict::busy && decision.why == Why::none;
}

// policy::decide, but with "busy" instead of "take over": no holder is stopped.
Decision admit_if_free(const Request& request, const LockSpec& lock, const View& view,
                       const Instant& now);

// Adds a refusal as too soon to the lock's statistics: callers that keep asking count for the
// learned interval. Returns whether requests begin to be spam with it. Does nothing for other
// outcomes and for requests that learn none.
bool learn_refusal(const OpenLocks& locks, const Outcome& outcome);

// The moment for which a decision is made: the clock's, or the one that the caller gave.
Instant moment(const Request& request);

}  // namespace atmost::limiter

#endif
