// The steps of compare_locks: what several processes do with a few files, drawn from a seed.
#ifndef ATMOST_TESTS_WORLD_LOCK_STEPS_H
#define ATMOST_TESTS_WORLD_LOCK_STEPS_H

#include <fcntl.h>

#include <cstdint>
#include <string>

#include "actors.h"

namespace world {

inline constexpr int kLockActors = 5;
inline constexpr int kLockSlots = 4;  // for descriptors, of each actor
inline constexpr int kLockFiles = 2;
inline constexpr int kMailboxes = 2;  // each for one description in flight

struct LockCall {
  bool flock = false;  // flock(2), else fcntl(2)
  int command = 0;     // of fcntl(2), or flock(2)'s operation
  struct flock bytes = {};
};

struct LockStep {
  enum class Act {
    open,
    dup,       // from `slot` to `other_slot`, which is free
    dup_over,  // the same, closing what is there
    close,
    send,     // to `box`
    receive,  // from `box`
    seek,
    resize,
    map,
    unmap,
    lock,
    race,       // `lock`, and at the same time `other` makes `other_call`
    interrupt,  // a blocked call
    restart,    // a blocked call, by a handler with SA_RESTART
    stop,       // in a blocked call
    go_on,
    kill,
    fork,  // in the place of `other`
    exec,
  };
  Act act = Act::lock;
  int actor = 0;
  int slot = 0;
  int other = 0;
  int other_slot = 0;
  int box = 0;
  int file = 0;
  int flags = 0;           // of open and dup
  std::int64_t value = 0;  // offset or size
  LockCall call;
  LockCall other_call;
};

// Step `number` of a seed; the same whatever other steps are made or left out.
LockStep draw_lock_step(std::uint64_t seed, std::uint64_t number);
std::string to_text(const LockStep& step);
std::string to_text(const struct flock& bytes);

// The files "0", "1", … in the current folder and the mailboxes, before any actor starts.
void prepare_lock_files();
// The order that an actor gets for a step, and its execution.
Order lock_order(const LockStep& step);
Order lock_order(int slot, const LockCall& call);
Answer obey_lock_order(const Order& order, Actors::Memory& memory);

}  // namespace world

#endif
