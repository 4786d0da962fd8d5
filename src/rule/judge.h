// The rule: facts in, plan out. The decisions about who is admitted, when, before whom and with
// which number, once for all stores.
#ifndef ATMOST_RULE_JUDGE_H
#define ATMOST_RULE_JUDGE_H

#include <cstdint>
#include <span>

#include "core/decision.h"
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

}  // namespace atmost::rule

#endif
