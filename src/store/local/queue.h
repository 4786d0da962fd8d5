// Waiters' tickets: locked bytes in a queue for each limit value. The order is the kernel's truth (a ticket is a
// held lock, so it ends with its waiter); who a waiter is, its record tells, a hint.
#ifndef ATMOST_STORE_LOCAL_QUEUE_H
#define ATMOST_STORE_LOCAL_QUEUE_H

#include <cstdint>

#include "atmost/request.h"
#include "atmost/result.h"
#include "lock_file.h"

namespace atmost::local {

// A waiter that is stopped (SIGSTOP) keeps its place but does not count while it is stopped. Those behind it look so
// often whether it is: for so long it may delay them.
inline constexpr std::int64_t kLookAtStoppedNs = 20'000'000'000;

// Draws a ticket behind everybody in the queue of `spec`, locks its byte and writes who we are. REQUIRES: guarded.
Status draw_ticket(LockFile& file, const LockSpec& spec, const Request& request, const Instant& now,
                   std::uint64_t& ticket);
void give_up_ticket(LockFile& file, const LockSpec& spec, std::uint64_t ticket);

// Live waiters in front of `ticket` (0: all), at most `enough` of them, and the slots they want together (from their
// records; one each where there is none). Stopped ones do not count.
struct Claims {
  std::uint32_t waiters = 0;
  std::uint32_t slots = 0;
  std::uint32_t writers = 0;  // how many of them want the lock to themselves (who has no record may be one)
};
Status claims_before(LockFile& file, std::uint32_t queue, std::uint64_t ticket, std::uint32_t enough,
                     Claims& to);

// The nearest live waiter in front of `ticket` that is not stopped, 0 when we are the head.
Status predecessor(LockFile& file, std::uint32_t queue, std::uint64_t ticket, std::uint64_t& to);

// Blocks until the waiter with ticket `ahead` has gone, a signal handler ran or `boot_deadline_ns` has come.
// Returns 0, EINTR, or another errno value.
int wait_behind(LockFile& file, std::uint32_t queue, std::uint64_t ahead, std::int64_t boot_deadline_ns);

}  // namespace atmost::local

#endif
