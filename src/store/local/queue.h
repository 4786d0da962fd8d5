// Waiters' tickets: locked bytes in a queue for each limit value. The order is the kernel's truth
// (a ticket is a held lock, so it ends with its waiter); who a waiter is and when its turn began,
// its record tells, a hint.
//
// Only write locks are tickets: a waiter blocks on another's ticket for a read lock, and one that
// is paused right then keeps that.
#ifndef ATMOST_STORE_LOCAL_QUEUE_H
#define ATMOST_STORE_LOCAL_QUEUE_H

#include <cstdint>

#include "core/request.h"
#include "core/result.h"
#include "lock_file.h"

namespace atmost::local {

// Draws a ticket behind everybody in the queue of `spec`, locks its byte and writes who we are.
// REQUIRES: guarded.
Status draw_ticket(LockFile& file, const LockSpec& spec, const Request& request, const Instant& now,
                   std::uint64_t& ticket);
void give_up_ticket(LockFile& file, const LockSpec& spec, std::uint64_t ticket);

// One who waits. Everything but the ticket comes from its record.
struct Waiter {
  std::uint64_t ticket = 0;  // 0: nobody
  std::uint32_t take = 1;
  bool writer = false;  // wants the lock to itself; who has no record in the mode queue may be one
  std::int64_t turn_boot_ns = 0;  // when its turn began, 0 when it had none in this boot
};

// The next waiter behind ticket `after` and before ticket `before` (0: all).
Status next_waiter(LockFile& file, std::uint32_t queue, std::uint64_t after, std::uint64_t before,
                   Waiter& to);
// Writes into the waiter's record when its turn began; 0: it has had none. A write wakes whoever
// watches the file. What cannot be written is not known: nobody is overtaken then. REQUIRES:
// guarded.
void note_turn(LockFile& file, std::uint32_t queue, std::uint64_t ticket,
               std::int64_t began_boot_ns);
std::int64_t turn_of(LockFile& file, std::uint32_t queue, std::uint64_t ticket);

// Whether the last caller that queued to run once more for the others still waits and has not been
// overtaken; true as well when nobody knows who that was. REQUIRES: the join byte is locked.
bool joiner_counts(LockFile& file, std::int64_t now_boot_ns);

// So many in front of us or fewer: near enough to be next soon, though all of them are paused.
inline constexpr std::uint32_t kNear = 8;

// Whom we wait for: of the waiters in front of `ticket` that have not been overtaken the nearest,
// or, where there are `far` of them, the one so far in front. ticket 0: nobody, we are the head.
struct Ahead {
  std::uint64_t ticket = 0;
  std::uint32_t count = 0;  // at least
};
Status find_ahead(LockFile& file, std::uint32_t queue, std::uint64_t ticket, std::uint32_t far,
                  std::int64_t now_boot_ns, Ahead& to);

// Blocks until the waiter with ticket `ahead` has gone, a signal handler ran or `boot_deadline_ns`
// has come. Returns 0, EINTR, or another errno value.
int wait_behind(LockFile& file, std::uint32_t queue, std::uint64_t ahead,
                std::int64_t boot_deadline_ns);

}  // namespace atmost::local

#endif
