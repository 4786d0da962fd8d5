// What a store saw inside its critical section: the facts a decision is made of. Facts only, no
// judgement.
#ifndef ATMOST_VIEW_H
#define ATMOST_VIEW_H

#include <cstdint>
#include <span>

#include "core/request.h"
#include "core/stats.h"
#include "core/text.h"
#include "core/time.h"

namespace atmost {

// Counting slots above N is for messages; beyond so many, counting them would cost more than it
// tells.
inline constexpr std::uint32_t kCountedAbove = 16;

// One held slot. Everything but `slot` comes from a record that may be stale or forged: good for
// showing and for ageing (the lesser of record and process age counts), never enough to send a
// signal.
struct HolderView {
  std::uint32_t slot = 0;
  HolderKind kind = HolderKind::foreign;
  bool has_record = false;
  bool read_locked =
      false;               // by a process that may read the file; no holder of ours has a read lock
  bool live_word = false;  // the kernel vouches for a living supervisor (occupancy word)
  bool verified = false;  // the kernel confirms that this process holds the slot (live word, or its
                          // descriptors)
  char process_state =
      0;  // as in /proc/PID/stat (R S D T Z …), 0: no such process, or not visible from here
  Eviction eviction = Eviction::kill;
  std::int64_t pid = 0;  // 0: not visible from here
  std::int64_t left_by =
      0;  // the supervisor of the record, which has ended and left the slot to `pid`; 0: none
  std::int64_t kept_for = 0;  // keeper: the process on whose behalf; 0 for all others
  std::int64_t kept_for_start_ns = 0;
  std::uint32_t uid = 0;
  Text<63> host;  // where the process is; empty: here
  std::uint64_t token = 0;
  // Tells this hold of the slot from the next one: its token, or made of the process that has no
  // record; 0 where neither is known. Nobody is signalled for the hold of another.
  std::uint64_t hold = 0;
  Stamp start;
  Duration expire_after = Duration::forever();
  Text<63> id;
  Text<63> command;
};

// One waiter, in queue order. `pid` from its record: a hint.
struct WaiterView {
  std::uint64_t ticket = 0;
  std::uint32_t max = 0;  // its queue: the limit it waits under
  Mode mode = Mode::plain;
  std::int64_t pid = 0;
  std::uint32_t uid = 0;
  Text<63> host;  // where the process is; empty: here
  Stamp start;
  Text<63> id;
  Text<63> command;
};

struct LastAdmission {
  Stamp start;
  Stamp finish;   // of the last run that ended, however it ended
  Stamp success;  // of the last run that exited 0
};

// The state of one lock, as seen by one caller under the guard.
struct View {
  std::uint64_t token = 0;  // of the last admission, 0 when none is known
  LastAdmission last;
  bool drained = false;  // admit nobody
  bool has_room =
      false;  // the K slots can be held without more than N held: proven, and reserved for now
  // Slots held by others or drained, as far as counted. When !has_room: exactly those up to N, and
  // those above N, which callers with larger limits hold, up to kCountedAbove.
  std::uint32_t held = 0;
  bool some_drained = false;   // slots among them are drained
  bool writer_inside = false;  // an exclusive holder is among them
  std::uint32_t waiters_ahead =
      0;  // waiters with a better claim (at least; exact only as zero or not)
  Duration owed_for =
      Duration::forever();        // until the turn ends that the room is kept for (core/turn.h)
  bool joiner_waiting = false;    // somebody already waits to run once more (--on-busy=join)
  bool takeover_running = false;  // somebody is stopping a holder right now
  bool held_by_ancestor = false;  // waiting would be waiting for ourselves
  bool flocked = false;           // no room because of a flock(2), whose holder has no record
  // What is remembered of the lock and of its directory, when the request wants it; null: the store
  // keeps none.
  const LockStats* memory = nullptr;
  const DirectoryStats* experience = nullptr;
  bool last_chance = false;  // the caller will not wait any longer
  std::span<const HolderView>
      holders;  // filled when the request may stop holders and there is no room
};

}  // namespace atmost

#endif
