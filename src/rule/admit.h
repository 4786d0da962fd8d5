// One attempt to be admitted, the same for all stores: look, judge, apply.
#ifndef ATMOST_RULE_ADMIT_H
#define ATMOST_RULE_ADMIT_H

#include <cstdint>
#include <span>

#include "core/lease.h"
#include "core/result.h"
#include "judge.h"

namespace atmost::rule {

// The result of a look at the locks of a request.
struct Looked {
  // One for each lock, in the request's order; valid until apply().
  std::span<Facts* const> locks;
  Instant now;                     // read inside the critical section
  std::int64_t turns_boot_ns = 0;  // Caller::turns_boot_ns
  // Not none: the critical section could not be begun within five seconds, or another program's
  // lock is in the way of that. Then this is the answer, and no apply() follows.
  struct Refusal {
    Why why = Why::none;  // guard, foreign, ancestor
    bool foreign_whole = false;
    std::uint32_t lock = 0;
    std::int64_t culprit = 0;
  } refusal;
};

struct Applied {
  // A fact has changed: nothing was written, and a new look is needed.
  bool changed = false;
  Hold* hold = nullptr;  // of a plan that admits: the hold
};

// The part of a session that has its locks.
class Section {
 public:
  // Begins the critical section of all locks of the request (files: guards; a database: rows that
  // are locked; etcd: one read that the write is compared with). The place of `queue` (null: the
  // caller will not wait) is cleared in it if it is gone: the caller is then a newcomer. The
  // caller's own place is never among the waiters. After an error or a refusal there is none.
  virtual Status look(MomentFn moment, Ticket* queue, Looked& to) = 0;
  // Ends it, also for a plan that changes nothing; all of the plan is done, or nothing. Fills the
  // ticket, tokens and the hold. The error of a plan that has `failed` is returned, or `changed`.
  // An error after which the admission may exist is the store's to resolve: its lease ends before
  // this returns. A store may add its own bookkeeping, never another decision.
  virtual Status apply(const Plan& plan, const Instant& now, Ticket* queue, Applied& to) = 0;

 protected:
  ~Section() = default;
};

// Session::attempt().
Result<Decision> admit(Section& session, const Request& request, DecideFn decide, MomentFn moment,
                       Ticket* queue, Lease& lease);

}  // namespace atmost::rule

#endif
