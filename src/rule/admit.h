// One attempt to be admitted, the same for all stores: look, judge, apply.
#ifndef ATMOST_RULE_ADMIT_H
#define ATMOST_RULE_ADMIT_H

#include <cstdint>
#include <span>

#include "core/result.h"
#include "core/session.h"
#include "judge.h"

namespace atmost::rule {

// The result of a look at the locks of a request.
struct Looked {
  explicit Looked(Decision& to) : answer(to) {}
  // Nothing of it is judged: the critical section could not be begun.
  Decision& refuse(Why why) {
    answered = true;
    answer = {};
    answer.why = why;
    return answer;
  }

  // One for each lock, in the request's order; valid until apply().
  std::span<Facts* const> locks;
  Instant now;                     // read inside the critical section
  std::int64_t turns_boot_ns = 0;  // Caller::turns_boot_ns
  // The answer of the attempt is there already, and no apply() follows: the critical section could
  // not be begun; or the locks are judged where they can be asked, in another thread.
  bool answered = false;
  Decision& answer;
  const HeldLock* held = nullptr;  // of such an answer that admits
};

struct Applied {
  // A fact has changed: nothing was written, and a new look is needed.
  bool changed = false;
  const HeldLock* held = nullptr;  // of a plan that admits: one for each lock
};

// One decision about all locks of the request, all or none. Admit: `lease` holds the slots, and the
// ticket (if any) is given up. Anything else: nothing is held and nothing was written. With `queue`
// a busy caller without a ticket draws one, and so does one that waits for its rate; null: the
// caller will not wait. `decide` may run more than once. Time: what `moment` says when the decision
// is made. `section` not null: it stands before the session's own.
Result<Decision> admit(Session& session, const Request& request, Attempt attempt, Lease& lease,
                       Section* section = nullptr);

}  // namespace atmost::rule

#endif
