// A caller's place in the queues of its locks.
#ifndef ATMOST_TICKET_H
#define ATMOST_TICKET_H

#include <cstdint>

#include "core/request.h"

namespace atmost {

// Made empty; an attempt fills it when the answer is "busy" and the caller will wait. Plain data
// that only the session that filled it can interpret.
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
};

}  // namespace atmost

#endif
