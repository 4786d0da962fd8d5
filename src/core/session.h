// The locks of one request, open.
#ifndef ATMOST_SESSION_H
#define ATMOST_SESSION_H

#include <cstdint>

#include "core/decision.h"
#include "core/holder_stop.h"
#include "core/lease.h"
#include "core/owned.h"
#include "core/request.h"
#include "core/result.h"
#include "core/stats.h"
#include "core/view.h"

namespace atmost {

// A place in a store's queue. Made empty; attempt() fills it when the answer is "busy" and the
// caller will wait. Plain data: the session that filled it knows what it means.
struct Ticket {
  bool drawn = false;
  std::uint64_t numbers[kMaxLocks] = {};
};

// Why await() came back. None of them promises a slot: ask again.
enum class Wake : std::uint8_t { maybe, deadline, interrupted };

// Made by Store::open(), which says what it borrows. Every call may be the first: none needs
// another one before it. Not thread-safe; threads open one each. If this process dies, its slots
// and its place in the queue are free: at once where the kernel sees to that, else when its lease
// ends. `lock` is the number of one of the request's locks.
class Session {
 public:
  // One decision about all locks of the request, all or none. Admit: `lease` holds the slots, the
  // ticket (if any) is given up. Anything else: nothing is held and nothing was written. With
  // `queue` a busy caller without a ticket draws one; nullptr: the caller will not wait. `decide`
  // may run more than once. Blocks for at most five seconds (on the guard), then answers busy with
  // Why::guard and the culprit. Time: `now` is what the decision and the records use.
  virtual Result<Decision> attempt(DecideFn decide, const Instant& now, Ticket* queue,
                                   Lease& lease) = 0;

  // Blocks until an attempt may succeed, until `deadline_boot_ns` (CLOCK_BOOTTIME;
  // Duration::kForever: none) or an interruption (a signal handler of the caller ran). A ticket
  // that was not drawn: returns maybe at once.
  virtual Result<Wake> await(Ticket& ticket, std::int64_t deadline_boot_ns) = 0;

  // Gives the place in the queue up. Nothing happens for a ticket that was not drawn.
  virtual void withdraw(Ticket& ticket) = 0;

  // Counts one more refusal of the lock and returns how many there were in a row: none of its
  // callers was admitted in between.
  virtual Result<std::uint32_t> count_refusal(std::uint32_t lock) = 0;

  // Changes what is kept of the lock's runs by `how` for `sample`. Failures are not reported: less
  // is kept. A store that keeps nothing of runs does nothing.
  virtual void learn(std::uint32_t lock, LearnFn how, const RunSample& sample) {
    (void)lock, (void)how, (void)sample;
  }

  // Begins to stop the holder of slot `slot` that holds it as `hold` (HolderView). Empty: somebody
  // else is at it. At most kMaxVictims at once.
  virtual Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                         StopFor what_for) = 0;

  // The name of the lease that this process has now, under which lies what it wrote for itself
  // (slots, places in queues, claims on slots of others), for a process that outlives this one:
  // printable, without blanks, no secret. Empty: there is none. Changes inside calls of this
  // session only.
  virtual Text<80> lease_name() const { return {}; }

  // For Owned only: gives up what is open, and the place in the queue. A lease ends before.
  virtual void close() = 0;

 protected:
  ~Session() = default;
};

}  // namespace atmost

#endif
