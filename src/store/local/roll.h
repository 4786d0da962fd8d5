// Calling waiters: each sleeps on a word of its own (os/futex.h), and the call returns if it did. A
// waiter without a word (a library's thread, an older atmost, a PORTABLE build, a file of several
// machines) sleeps on the ticket in front of it, and is not called.
#ifndef ATMOST_STORE_LOCAL_ROLL_H
#define ATMOST_STORE_LOCAL_ROLL_H

#include <cstdint>

#include "lock_file.h"

namespace atmost::local {

// The word of the waiter with this ticket; 0: it has none.
std::uint32_t bell_of(const LockFile& file, std::uint64_t ticket);
// Gives a waiter its word, when it has drawn its ticket.
void make_bell(LockFile& file, std::uint64_t ticket);
// Marks the word of the head that has called one behind it, which looks from now on if the head is
// paused: then a release need not call anybody.
void mark_bell(LockFile& file, std::uint64_t ticket);

// Waiters behind ticket `after` of the queue.
struct Roll {
  std::uint32_t queue = 0;
  std::uint64_t after = 0;
  bool early = false;            // the first one counts, too, whose rate does not allow it yet
  std::int64_t now_boot_ns = 0;  // the time for measuring turns
};
// The waiters that a waiter called.
struct Called {
  std::uint64_t last = 0;  // all up to this ticket; 0: nobody
  std::uint64_t next = 0;  // the first that claims, if it was asleep; else 0
};
// Wakes the waiters that claim a slot, one after another, until `wanted` of them are known to have
// been asleep: these run, and will look. Waiters that were called before are only counted.
void call_next(LockFile& file, const Roll& roll, std::uint32_t wanted, Called& to);
// Wakes that one. False: it did not sleep, or has no word.
bool call_waiter(LockFile& file, std::uint64_t ticket);
// The same as call_waiter(), but leaves it alone where it does not sleep.
void call_sleeper(LockFile& file, std::uint64_t ticket);

// A slot became free: sees to it that in each queue some waiter that runs will look soon, however
// many before it are paused or were killed. Wakes none where one near the head sleeps.
void wake_queues(LockFile& file, std::int64_t now_boot_ns);

// A turn of `ticket` begins, and the room is its own for so long: calls it and all behind it, each
// for its own turn. A note is left for those that do not sleep, and so may be paused; a waiter that
// runs sees the note, and asks. Two that sleep are woken, to look when the turn is over. REQUIRES:
// guarded. If the turn began before now, it is a late one, of a waiter that was not called: then it
// is noted of all behind it, and all of them are called.
void call_roll(LockFile& file, std::uint32_t queue, std::uint64_t ticket,
               std::int64_t began_boot_ns, std::int64_t now_boot_ns);

}  // namespace atmost::local

#endif
