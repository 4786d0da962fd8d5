// Finding, proving and reserving slots. All of it happens under the guard.
//
// Admission is proven by counting pigeonholes: we hold K bytes at or below N, and one query says
// that nobody holds a byte above N; so at most N are held, whoever holds them and whatever the
// hints said. Where somebody does (callers with larger limits), the held bytes are counted exactly.
// Refusal is proven slot by slot: each slot that counted as held either refused our lock or carries
// the word of a living supervisor, and a few of those are asked as well.
#ifndef ATMOST_STORE_LOCAL_SLOTS_H
#define ATMOST_STORE_LOCAL_SLOTS_H

#include <cstdint>

#include "core/request.h"
#include "core/result.h"
#include "lock_file.h"
#include "os/byte_lock.h"

namespace atmost::local {

// What one attempt found and, for the time being, holds.
struct Reservation {
  bool room = false;        // the first `take` reserved slots prove admission
  std::uint32_t count = 0;  // reserved slots
  bool mode_held = false;   // the mode byte is ours (exclusive)
  std::uint32_t held = 0;   // slots held by others, as View::held
  std::uint32_t waiters_ahead =
      0;  // waiters with a better claim to what is free, 0 when the rest is enough
  std::int64_t owed_until_boot_ns = Duration::kForever;  // when the turn ends that it is kept for
  bool takeover_running = false;
  bool joiner_waiting = false;
  bool met_dead = false;  // the word of some reserved slot says that its last holder was killed
  bool writer_inside = false;     // somebody else holds the mode byte
  bool some_drained = false;      // slots among those that are in the way are drained
  std::uint32_t slots[kMaxTake];  // `count` of them, ascending

  // Keeps the order.
  void insert(std::uint32_t slot) {
    std::uint32_t at = count++;
    for (; at > 0 && slots[at - 1] > slot; --at) slots[at] = slots[at - 1];
    slots[at] = slot;
  }
  // Empty again. The slots stay as they are: there are none of them now.
  void clear() {
    room = mode_held = takeover_running = joiner_waiting = writer_inside = some_drained = met_dead =
        false;
    count = held = waiters_ahead = 0;
    owed_until_boot_ns = Duration::kForever;
  }
};

struct Seeker {
  std::uint64_t ticket = 0;      // ours in the queue of this lock, 0 when we have none
  std::int64_t now_boot_ns = 0;  // by which waiters' turns are measured
};

// Room to read words into; owned by the caller because threads of a library use stores side by
// side.
struct WordBuffer {
  static constexpr std::uint32_t kCapacity = 16384;
  Word words[kCapacity];
};

// Tries to reserve spec.take slots of the file for `owner`. What is reserved stays locked until
// drop() or until the caller keeps it. An error leaves nothing reserved. REQUIRES: file.guarded(),
// spec.max ≥ 1.
Status reserve(LockFile& file, const LockSpec& spec, os::Owner owner, const Seeker& seeker,
               WordBuffer& buffer, Reservation& to);
void drop(LockFile& file, os::Owner owner, Reservation& reserved);

// Slots held by anybody but this descriptor, at most `enough`; also the highest one. Range queries
// that split at each conflict: about two calls for each held run of slots.
struct Count {
  std::uint32_t held = 0;
  std::uint32_t highest = 0;
};
Status count_held(LockFile& file, std::uint32_t first, std::uint32_t last, std::uint32_t enough,
                  Count& to);

// The owner of the slot locks for a way of keeping them.
os::Owner owner_for(const Request& request);

}  // namespace atmost::local

#endif
