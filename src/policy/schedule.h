// How often a lock is asked for: the interval learned from its own schedule, and spam.
#ifndef ATMOST_POLICY_SCHEDULE_H
#define ATMOST_POLICY_SCHEDULE_H

#include "core/stats.h"

namespace atmost::policy {

struct Schedule {
  bool known = false;  // enough admissions were seen
  Duration
      usual{};  // the length, rounded down, that half of the intervals between admissions reach
  Duration longer = Duration::forever();  // the same, rounded up
  Duration
      interval{};  // what `--if-elapsed auto` means now: 0, or from half of `usual` up to all of it
  std::uint32_t slowed = 0;  // steps by which it is longer than half, because of spam
};

// ExpireAfter > Δt >= IfElapsed "ensures correct and sensible behaviour" (Burgess & Skipitaris,
// LISA '97, "Predictable Behaviour"): Δt is what was usual. A request after half of that is let in,
// so that neither a late run nor one by hand shifts the schedule; who keeps asking sooner has to
// wait longer, up to the usual interval.
Schedule schedule_of(const LockStats& memory, const LearnedBounds& bounds);

// An admission, so long after the one before. Forever: not known, and of no interest.
void admitted_after(LockStats& memory, Duration since_previous);

// The requests for a lock, as far as spam goes.
struct Arrivals {
  std::int64_t last_real_ns = 0;  // wall clock; 0: there was none
  std::uint32_t in_a_row = 0;     // came at or below the interval, each after the one before
};

// A request at that moment (wall clock, ns), while `interval` was in force (zero, forever: none).
// Returns whether it is spam: it and the two before it came at or below the interval, or up to a
// 64th of it later, each after the one before. An odd retry is none. Requests older than the last
// one known are left out.
bool arrived(Arrivals& arrivals, std::int64_t at_real_ns, Duration interval);

// The same, remembered.
void asked(LockStats& memory, std::int64_t at_real_ns, Duration interval);

}  // namespace atmost::policy

#endif
