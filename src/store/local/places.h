// Places in the queue that outlive their waiters (--keep-place), in the lock file: hints. A place
// without a process holds no lock, so it claims nothing and costs nobody a turn; it only has the
// ticket with which its owner queues again. If it is lost or forged, the order of waiters changes,
// and never how many are admitted.
#ifndef ATMOST_STORE_LOCAL_PLACES_H
#define ATMOST_STORE_LOCAL_PLACES_H

#include <cstdint>

#include "core/decision.h"
#include "core/request.h"
#include "lock_file.h"

namespace atmost::local {

// True if a waiter has that ticket, or it cannot be known.
bool is_ticket_locked(const LockFile& file, std::uint32_t queue, std::uint64_t ticket);

// The ticket of the place that is kept for the request's user and id; 0: there is none, it was kept
// long enough, or another caller waits in it. REQUIRES: guarded.
std::uint64_t kept_ticket(LockFile& file, const Request& request);

// Keeps the place of a waiter that has this ticket in that queue, until the moment on the boot
// clock. Not if another caller with the same user and id waits in theirs, or as many places are
// kept as there can be. False: it is not kept. REQUIRES: guarded, or the place is kept already.
bool keep_place(LockFile& file, const Request& request, std::uint32_t queue, std::uint64_t ticket,
                std::int64_t until_boot_ns);
// The same for a waiter that may be killed: for a quarter longer than it asks, and 25 s, as this is
// repeated after a quarter of the time by waiters that look every 20 s.
void refresh_place(LockFile& file, const LockSpec& spec, const Request& request,
                   std::uint64_t ticket);
// The place of a waiter among those of its queue.
void count_places(LockFile& file, std::uint32_t queue, std::uint64_t ticket, KeptPlaceIn& to);
// Gives it up. `ticket` 0: whichever it has, unless another caller waits in it.
void drop_place(LockFile& file, const Request& request, std::uint64_t ticket);

}  // namespace atmost::local

#endif
