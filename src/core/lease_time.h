// The arithmetic of leases that end by themselves: when to renew, when to stop. All on the boot
// clock.
#ifndef ATMOST_LEASE_TIME_H
#define ATMOST_LEASE_TIME_H

#include "core/time.h"

namespace atmost {

// From SIGKILL until the last process of a tree is gone, on a busy machine.
inline constexpr Duration kKillTime = Duration::seconds(1);
// A renewal, and one repetition if the first gets no answer.
inline constexpr Duration kRenewalTime = Duration::millis(1500);
// The longest lease. The slots of a host that died stay taken for as long, and after a failover
// callers may have to wait as long for a lease that the lost server granted.
inline constexpr Duration kLongestTtl = Duration::seconds(7 * 86400);

// The time before the end of its lease at which a command's tree has to be stopped: INT, a grace,
// TERM, a grace, KILL.
constexpr Duration stop_time(Duration kill_grace) {
  if (kill_grace.ns > Duration::kForever / 4) return Duration::forever();
  return {2 * kill_grace.ns + kKillTime.ns};
}

constexpr Duration shortest_ttl(Duration kill_grace) {
  return {plus(stop_time(kill_grace).ns, kRenewalTime)};
}

// Between two renewals: three of them may fail before stopping begins. REQUIRES: ttl not below
// shortest_ttl().
constexpr Duration renewal_pause(Duration ttl, Duration kill_grace) {
  return {(ttl.ns - stop_time(kill_grace).ns) / 3};
}

// The time before the end of its lease from which a holder no longer renews it. Its command is
// being stopped by then, unless it is only warned: a late renewal, as by a supervisor that was
// stopped and that its timer continued, must not undo that.
constexpr Duration renewal_reserve(Duration kill_grace, bool only_warned) {
  return only_warned ? Duration{} : stop_time(kill_grace);
}

}  // namespace atmost

#endif
