// Waiters' tickets: locked bytes in a queue for each limit value. The kernel keeps the order (a
// ticket is a held lock, so it ends with its waiter). A waiter's record, a hint, says which process
// it is and when its turn began.
//
// Only write locks are tickets: a waiter blocks on another's ticket with a read lock, and keeps it
// if it is paused at that moment.
#ifndef ATMOST_STORE_LOCAL_QUEUE_H
#define ATMOST_STORE_LOCAL_QUEUE_H

#include <cstdint>

#include "core/request.h"
#include "core/result.h"
#include "lock_file.h"

namespace atmost::local {

// Draws a ticket behind all others in the queue of `spec`, locks its byte and writes our record.
// `due_boot_ns`: see note_due(). REQUIRES: guarded.
Status draw_ticket(LockFile& file, const LockSpec& spec, const Request& request, const Instant& now,
                   std::int64_t due_boot_ns, std::uint64_t& ticket);
void give_up_ticket(LockFile& file, const LockSpec& spec, std::uint64_t ticket);

// One waiter. Everything but the ticket comes from its record.
struct Waiter {
  std::uint64_t ticket = 0;  // 0: none
  std::uint32_t take = 1;
  bool writer = false;  // wants the lock to itself; a waiter in the mode queue without a record may
                        // want that
  std::int64_t turn_boot_ns = 0;  // when its turn began, 0 when it had none in this boot
  std::int64_t due_boot_ns = 0;   // until then its rate does not allow it; 0: it has none
};

// The next waiter behind ticket `after` and before ticket `before` (0: all).
Status next_waiter(LockFile& file, std::uint32_t queue, std::uint64_t after, std::uint64_t before,
                   Waiter& to);
// Writes into the waiter's record when its turn began; 0: it has had none. The write wakes
// processes that watch the file. Failures are ignored: then the waiter is not overtaken. REQUIRES:
// guarded.
void note_turn(LockFile& file, std::uint32_t queue, std::uint64_t ticket,
               std::int64_t began_boot_ns);
std::int64_t turn_of(LockFile& file, std::uint32_t queue, std::uint64_t ticket);

// Writes into the waiter's record until when its rate does not allow it (0: it has none): it claims
// no slot until then. Failures are ignored: then it claims one too early, and loses its turn.
// REQUIRES: guarded.
void note_due(LockFile& file, std::uint32_t queue, std::uint64_t ticket, const Instant& now,
              std::int64_t due_boot_ns);

// How many wait in all queues, counted up to `enough`.
Status count_waiters(LockFile& file, std::uint32_t enough, std::uint32_t& to);
// Whether a waiter behind us has replaced us (--on-busy=supersede): as the file says at the moment.
bool is_superseded(const LockFile& file, std::uint64_t ticket);

// Whether the last caller that queued to run once more for the others still waits and has not been
// overtaken; also true when its record cannot be read. REQUIRES: the join byte is locked.
bool joiner_counts(LockFile& file, std::int64_t now_boot_ns);

// With this many waiters in front of us, or fewer, we may soon be next even if all of them are
// paused.
inline constexpr std::uint32_t kNear = 8;

// The waiter that we wait for: of those in front of `ticket` that have not been overtaken, the
// nearest; or, where there are `far` of them, the farthest of these. ticket 0: there is none, we
// are the head.
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
