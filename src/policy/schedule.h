// The schedule of a lock's requests: the interval learned from it, and the detection of spam.
#ifndef ATMOST_POLICY_SCHEDULE_H
#define ATMOST_POLICY_SCHEDULE_H

#include "core/stats.h"

namespace atmost::policy {

struct Schedule {
  bool known = false;  // enough requests were seen
  // The length, rounded down, that half of the intervals between requests reach.
  Duration usual{};
  Duration longer = Duration::forever();  // the same, rounded up
  // The value of `--if-elapsed auto` now: 0, or from half of `usual` up to all of it.
  Duration interval{};
  std::uint32_t slowed = 0;  // steps by which it is longer than half, because of spam
};

// ExpireAfter > Δt >= IfElapsed "ensures correct and sensible behaviour" (Burgess & Skipitaris,
// LISA '97, "Predictable Behaviour"): Δt is the usual interval. A request after half of it is
// admitted, so that neither a late run nor one by hand shifts the schedule. A caller that keeps
// asking sooner has to wait longer, up to the usual interval.
Schedule schedule_of(const LockStats& lock_stats, const LearnedBounds& bounds);

// The facts about earlier requests that the detection of spam needs.
struct Arrivals {
  std::int64_t last_real_ns = 0;  // wall clock; 0: there was none
  // Requests that each came within the interval after the one before.
  std::uint32_t in_a_row = 0;
};

// Records a request at that moment (wall clock, ns), while `interval` was in force (zero, forever:
// none). Returns whether it is spam: it and the two before it came at or below the interval, or up
// to a 64th of it later, each after the one before. A single retry is not spam. Requests older than
// the last known one are ignored.
bool arrived(Arrivals& arrivals, std::int64_t at_real_ns, Duration interval);

// True if the latest requests of the lock were spam.
bool is_spam(const Arrivals& arrivals);
bool is_spammed(const LockStats& lock_stats);

// The same as arrived(), stored in the statistics, together with the time since the previous
// request; returns whether requests begin to be spam with this one. Refused requests count: an
// interval learned from admissions alone would lengthen itself. Requests within a quarter of the
// usual interval teach nothing until they have come for ten usual intervals, and for eight hours,
// unless they are three quarters of an hour apart; requests within a 32nd of it teach little even
// then.
bool asked(LockStats& lock_stats, std::int64_t at_real_ns, Duration interval);

}  // namespace atmost::policy

#endif
