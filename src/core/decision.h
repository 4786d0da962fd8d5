// The answer to one request: admitted, or why not and when to ask again.
#ifndef ATMOST_DECISION_H
#define ATMOST_DECISION_H

#include <cstdint>

#include "core/request.h"
#include "core/time.h"
#include "core/view.h"

namespace atmost {

enum class Verdict : std::uint8_t { admit, too_soon, take_over, busy };

enum class Why : std::uint8_t {
  none,
  no_slot,      // N are held
  owed,         // a slot is free but a waiter has the better claim
  zero,         // N is 0
  drained,      // atmost drain
  ancestor,     // the holder is an ancestor of the caller: waiting would never end
  taking_over,  // another caller is stopping the holder
  joined,       // a waiter will run once more for all of us
  guard,        // the guard could not be had in time
  survivor,     // the overdue holder could not be stopped
  immune,       // the overdue holder is a program whose library has not agreed to be stopped
  flock,        // another process holds a flock(2) on the lock file, and the caller is --with-flock
  queue_full,   // as many wait as the caller allows (--queue-max)
  superseded,   // a later waiter replaced this one (--on-busy=supersede)
  foreign,      // another program's lock is in the way, which is nobody's slot
  circle,       // all that it waits for waits for it: the words are the outcome's
  above_limit,  // the caller wants more slots than its limit or that of record has
};

inline constexpr std::uint32_t kMaxVictims = 64;

// The reason for which another process stops a holder: it has held for longer than the taker's
// limit, --on-busy=replace, atmost kill, the taker has watched it being idle for its limit, or its
// supervisor was killed and can no longer end it at its --max-runtime.
enum class StopReason : std::uint8_t { overdue, replace, kill, idle, unsupervised };

// The place in a queue that a caller has left and that is kept for it.
struct KeptPlaceIn {
  std::uint32_t place = 0;  // 0: none is kept
  std::uint32_t all = 0;    // of so many
};

struct Decision {
  // Not defaulted: it would fill the arrays, which most answers do not use.
  Decision() {}  // NOLINT(modernize-use-equals-default)

  Verdict verdict = Verdict::busy;
  Why why = Why::no_slot;
  std::uint32_t lock = 0;                   // index of the lock in the request that refused
  std::uint32_t held = 0;                   // slots held by others or drained, as far as counted
  bool some_drained = false;                // slots among them are drained
  bool writer_inside = false;               // an exclusive holder is among them
  std::uint32_t waiters = 0;                // at least this many wait before us
  Duration retry_in = Duration::forever();  // too_soon: until the interval is over; busy: until a
                                            // holder is overdue, or a waiter's turn is over
  // the stored admission lies ahead of the clock: reported, and treated as just now
  bool last_in_future = false;
  std::uint32_t max = 1;       // the limit that was applied: the caller's, or that of record
  bool limited = false;        // it is that of record
  bool rated = false;          // the caller or the limit of record has a rate
  bool rate_reached = false;   // too_soon because of a rate
  Rate rate;                   // that one
  bool foreign_whole = false;  // Why::foreign: all slots are locked
  Limits limits;               // the limits that were applied
  // The process to name in the message (the holder of the guard or of a foreign lock, or the
  // survivor); 0: none.
  std::int64_t culprit = 0;
  std::uint32_t victim_count = 0;  // take_over: these slots' holders are overdue, oldest first
  std::uint32_t victims[kMaxVictims];
  // HolderView::hold of each: a later holder of the slot must not be stopped.
  std::uint64_t holds[kMaxVictims];
  // take_over, StopReason::unsupervised: the shortest --max-runtime of the victims; 0: they are
  // stopped for another reason.
  Duration outlived{};
  KeptPlaceIn kept_place;  // a refusal with --keep-place
};

// True if waiting can change the answer. Only then does a store draw a ticket; not beside a foreign
// lock, which may cover the tickets: then the caller asks again.
constexpr bool worth_waiting(const Decision& decision) {
  switch (decision.why) {
    case Why::no_slot:
    case Why::owed:
    case Why::drained:
    case Why::taking_over:
    case Why::immune:
    case Why::flock:
    case Why::foreign:
      return decision.verdict == Verdict::busy;
    default:
      return false;
  }
}

// True if a caller that waits for its rate keeps a place in the queue meanwhile: rates are first
// come, first served.
constexpr bool waits_for_rate(const Request& request, const Decision& decision) {
  if (!decision.rated || request.on_too_soon != OnTooSoon::wait || request.now_given) return false;
  if (decision.verdict == Verdict::too_soon) return !decision.retry_in.is_forever();
  return decision.verdict == Verdict::busy && decision.why == Why::owed;
}

// The rule. Pure: the same arguments give the same answer; it reads no clock and no file. A store
// calls it inside its critical section, perhaps more than once. src/policy/ defines it as
// atmost::policy::decide.
using DecideFn = Decision (*)(const Request& request, const LockSpec& lock, const View& view,
                              const Instant& now);

// Reads the clocks for one decision: those that decide it, and those that its records get. A store
// calls it inside its critical section, so a caller that waited for that, or was paused before,
// does not decide by an old moment.
using MomentFn = Instant (*)(const Request& request);

// Ticket::due_boot_ns after a refusal at `now`; `before`: after the refusal before.
constexpr std::int64_t due_after(const Request& request, const Decision& decision,
                                 const Instant& now, std::int64_t before) {
  if (!decision.rated) return 0;
  if (waits_for_rate(request, decision) && decision.verdict == Verdict::too_soon)
    return plus(now.boot_ns, decision.retry_in);
  return before != 0 && before <= now.boot_ns ? before : now.boot_ns;
}

// A caller's place in the queues of its locks. Made empty; an attempt fills it when the answer is
// "busy" and the caller will wait. Plain data that only the session that filled it can interpret.
struct Ticket {
  bool drawn = false;
  // The caller waits for its rate, but for no slot: only waits_for_rate() draws a ticket for it.
  bool for_rate_only = false;
  // The lock in which it claims a slot; kNowhere: in none, it waits for time to pass. Set by an
  // attempt.
  static constexpr std::uint32_t kNowhere = kMaxLocks;
  std::uint32_t claims_in = kNowhere;
  // Set by an attempt: until then (CLOCK_BOOTTIME) every attempt is too soon, so await() returns at
  // this moment if no waiter is in front. In the past for another caller with a rate; 0 without a
  // rate.
  std::int64_t due_boot_ns = 0;
  std::uint64_t numbers[kMaxLocks] = {};
  bool gives_up = false;  // nothing is kept of it (--keep-place)
  KeptPlaceIn kept;       // in the queue of the first lock, once the caller has left it
};

}  // namespace atmost

#endif
