// The three limits, as one pure function (DecideFn, decision.h).
#ifndef ATMOST_POLICY_DECIDE_H
#define ATMOST_POLICY_DECIDE_H

#include "core/decision.h"

namespace atmost::policy {

// In the order of the paper's Figure 3 (Burgess & Skipitaris, LISA '97): drained or zero, too soon,
// overdue, busy, admit. IfElapsed 0 is never too soon, forever admits once only (Table 2);
// ExpireAfter 0 stops every holder first, forever none (Table 3). A last admission that lies in the
// future counts as just now and is reported.
Decision decide(const Request& request, const LockSpec& lock, const View& view, const Instant& now);

// Finds only the age of the last success (DecideFn): busy, Why::none, and that age as retry_in;
// Duration::forever() if no success is known, or if it lies in the future, which is noted.
Decision since_success(const Request& request, const LockSpec& lock, const View& view,
                       const Instant& now);

// Age of a holder for expiry, in ns; negative or unknown ages are not overdue: -1.
std::int64_t holder_age_ns(const HolderView& holder, const Instant& now);

}  // namespace atmost::policy

#endif
