// The rule: facts in, plan out. The decisions about who is admitted, when, before whom and with
// which number, once for all stores.
#ifndef ATMOST_RULE_JUDGE_H
#define ATMOST_RULE_JUDGE_H

#include <cstdint>
#include <span>

#include "core/decision.h"
#include "core/result.h"
#include "core/session.h"
#include "facts.h"

namespace atmost::rule {

enum class QueueStep : std::uint8_t {
  stay,  // as it is: none, or the one it has
  draw,  // in the queues of all locks, behind all who wait there
  leave,
};

// The changes for the caller; those of each lock are in Facts::plan. All of it is applied, or
// nothing.
struct Plan {
  explicit Plan(Decision& to) : decision(to) {}

  Decision& decision;
  // Not null: a fact could not be had. Nothing may be applied, and that is the error.
  const Status* failed = nullptr;
  QueueStep step = QueueStep::stay;
  // Of the place from now on (Ticket), also of one that is drawn.
  std::int64_t due_boot_ns = 0;
  std::uint32_t claims_in = Ticket::kNowhere;
  bool place_changed = false;    // the place that it has must say so
  std::uint32_t lock_count = 0;  // locks that were judged: the first so many

  bool admits() const { return failed == nullptr && decision.verdict == Verdict::admit; }
};

// One caller. `ticket` null: it will not wait.
struct Caller {
  const Request* request = nullptr;
  const Ticket* ticket = nullptr;
  std::int64_t turns_boot_ns = 0;  // the boot clock, even if --now gives another moment

  Asker asker(std::uint32_t lock) const { return asker_of(*request, ticket, lock); }
  bool last_chance() const { return ticket == nullptr || ticket->for_rate_only; }
};

// Judges lock by lock, until one refuses. `locks`: one for each of the request's. Pure, but that it
// makes the facts reserve slots. Fills `plan`, and the plan of each lock that was judged.
void judge(std::span<Facts* const> locks, const Caller& caller, DecideFn decide, const Instant& now,
           Plan& plan);

// One attempt to be admitted, the same for all stores: look, judge, apply.

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
