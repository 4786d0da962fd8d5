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
#include "core/ticket.h"
#include "core/view.h"

namespace atmost {

// The reason for which await() returned. None of them promises a slot: ask again.
enum class Wake : std::uint8_t { maybe, deadline, interrupted };

// Made by Store::open(), whose comment names the borrowed objects. Any call may be the first: none
// requires an earlier one. Not thread-safe; each thread opens its own. If this process dies, its
// slots and its place in the queue become free: at once where the kernel releases them, else when
// its lease ends. `lock` is the index of one of the request's locks.
class Session {
 public:
  // One decision about all locks of the request, all or none. Admit: `lease` holds the slots, and
  // the ticket (if any) is given up. Anything else: nothing is held and nothing was written. With
  // `queue` a busy caller without a ticket draws one, and so does one that waits for its rate;
  // nullptr: the caller will not wait. `decide` may run more than once. Blocks for at most five
  // seconds (on the guard), then answers busy with Why::guard and the culprit. The time is that of
  // `moment` when the decision is made.
  virtual Result<Decision> attempt(DecideFn decide, MomentFn moment, Ticket* queue,
                                   Lease& lease) = 0;

  // Blocks until an attempt may succeed, until `deadline_boot_ns` (CLOCK_BOOTTIME;
  // Duration::kForever: none) or an interruption (a signal handler of the caller ran). A ticket
  // that was not drawn: returns maybe at once.
  virtual Result<Wake> await(Ticket& ticket, std::int64_t deadline_boot_ns) = 0;

  // Gives up the place in the queue. Does nothing for a ticket that was not drawn.
  virtual void withdraw(Ticket& ticket) = 0;

  // Counts one more refusal of the lock and returns how many there have been since a caller was
  // last admitted.
  virtual Result<std::uint32_t> count_refusal(std::uint32_t lock) = 0;

  // Counts the end of a run: returns the number of runs of the lock that failed in a row, this one
  // included; or, if it has not `failed`, the number of those before, and the count begins anew. 0
  // if this store does not count.
  virtual Result<std::uint32_t> count_end(std::uint32_t lock, bool failed) {
    (void)lock, (void)failed;
    return std::uint32_t{0};
  }

  // Updates the statistics of the lock by calling `how` with `sample`, and returns what `how` does.
  // Failures are not reported; the sample is lost. A store without statistics does nothing.
  virtual bool learn(std::uint32_t lock, LearnFn how, const RunSample& sample) {
    (void)lock, (void)how, (void)sample;
    return false;
  }

  // Begins to stop the holder of slot `slot` if its hold is still `hold` (HolderView). Empty:
  // another process is stopping it. At most kMaxVictims at once.
  virtual Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                         StopFor what_for) = 0;

  // The name of this process's current lease, with which another process can end it later. Its
  // slots, places in queues and claims on others' slots are stored under that lease. Printable,
  // without blanks, no secret. Empty: there is none. Changes only inside calls of this session.
  virtual Text<80> lease_name() const { return {}; }

  // A store that did not answer when the last hold was released: the moment when its slots are free
  // nevertheless, as its lease has ended by then. 0: they are free.
  virtual std::int64_t left_until_boot_ns() const { return 0; }

  // For Owned only: gives up what is open, and the place in the queue. A lease ends before.
  virtual void close() = 0;

 protected:
  ~Session() = default;
};

}  // namespace atmost

#endif
