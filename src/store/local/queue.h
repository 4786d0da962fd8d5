// Waiters' tickets: locked bytes in a queue for each limit value. The kernel keeps the order (a
// ticket is a held lock, so it ends with its waiter). A waiter's record, a hint, has its process
// and the beginning of its turn.
//
// Only write locks are tickets: a waiter blocks on another's ticket with a read lock, and keeps it
// if it is paused at that moment.
#ifndef ATMOST_STORE_LOCAL_QUEUE_H
#define ATMOST_STORE_LOCAL_QUEUE_H

#include <cstdint>

#include "core/request.h"
#include "core/result.h"
#include "lock_file.h"
#include "rule/facts.h"

namespace atmost::local {

// Turns, and moments until which a rate does not allow a waiter, are measured by the boot clock or,
// where several machines use the file, by the wall clock. 0: none.
struct TurnClock {
  std::int64_t boot_ns = 0;
  std::int64_t record_ns = 0;  // the same moment in records

  std::int64_t to_boot(std::int64_t at) const { return at == 0 ? 0 : at - record_ns + boot_ns; }
  std::int64_t to_record(std::int64_t at) const { return at == 0 ? 0 : at - boot_ns + record_ns; }
};

// The content of a waiter's record about its place.
struct PlaceNote {
  std::int64_t due = 0;  // until then its rate does not allow it, and it claims no slot; 0: no rate
  bool parked = false;   // it waits for something else than this lock, and claims nothing here
};

// Draws a ticket behind all others in the queue of `spec`, locks its byte and writes our record.
// REQUIRES: guarded.
Status draw_ticket(LockFile& file, const LockSpec& spec, const Request& request, const Instant& now,
                   const PlaceNote& place, std::uint64_t& ticket);
void give_up_ticket(LockFile& file, const LockSpec& spec, std::uint64_t ticket);

// Everything but the ticket comes from its record, which counts a turn if it is of this boot and
// confirmed, by the clock of records. A waiter in the mode queue without a record may want the lock
// to itself.
using rule::Waiter;

// The next waiter behind ticket `after` and before ticket `before` (0: all). `guarded_ns`: the
// moment, if the caller has the guard.
Status next_waiter(LockFile& file, std::uint32_t queue, std::uint64_t after, std::uint64_t before,
                   Waiter& to, std::int64_t guarded_ns = 0);
// Writes into the waiter's record when its turn began; 0: it has had none. The write wakes
// processes that watch the file. Failures are ignored: then the waiter is not overtaken. REQUIRES:
// guarded.
void note_turn(LockFile& file, std::uint32_t queue, std::uint64_t ticket,
               std::int64_t began_boot_ns);
// As it is written, confirmed or not.
std::int64_t turn_of(LockFile& file, std::uint32_t queue, std::uint64_t ticket);
// Turns that were noted at `noted_boot_ns`, a moment before `now_boot_ns`, under a guard that has
// been given back since, count from now on. A turn that is not confirmed does not count: the caller
// that noted it may have been paused with the guard, so that no other one could decide meanwhile.
void confirm_turns(LockFile& file, std::uint32_t queue, std::int64_t noted_boot_ns,
                   std::int64_t now_boot_ns);

// Writes that into the waiter's record. Failures are ignored: then it claims a slot too early, and
// loses its turn. REQUIRES: guarded.
void note_place(LockFile& file, std::uint32_t queue, std::uint64_t ticket, const PlaceNote& place);

// The number of waiters in all queues, counted up to `enough`.
Status count_waiters(LockFile& file, std::uint32_t enough, std::uint32_t& to);
// True if a waiter behind us has replaced us (--on-busy=supersede), by the file at this moment.
bool is_superseded(const LockFile& file, std::uint64_t ticket);

// The first waiter behind ticket `after`, in whatever queue, that waits to run once more for the
// others. One whose record was overwritten is none.
Status next_joiner(LockFile& file, std::uint64_t after, Waiter& to);

// The waiters in front of `ticket` that claim a slot, counted up to `enough`, and the nearest of
// them. `early`: those whose rate does not allow it yet count, too.
struct Ahead {
  std::uint64_t ticket = 0;  // of the nearest; 0: there is none, we are the head
  std::uint32_t count = 0;   // at least
};
Status find_ahead(LockFile& file, std::uint32_t queue, std::uint64_t ticket, bool early,
                  std::uint32_t enough, std::int64_t now_boot_ns, Ahead& to);

// Blocks until the waiter with ticket `ahead` has gone, a signal handler ran or `boot_deadline_ns`
// has come. Returns 0, EINTR, or another errno value.
int wait_behind(LockFile& file, std::uint32_t queue, std::uint64_t ahead,
                std::int64_t boot_deadline_ns);

}  // namespace atmost::local

#endif
