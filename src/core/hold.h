// Slots that are held, for how long, and the end of that.
#ifndef ATMOST_HOLD_H
#define ATMOST_HOLD_H

#include <cstdint>
#include <span>

#include "core/request.h"
#include "core/result.h"
#include "core/stats.h"
#include "core/text.h"
#include "core/time.h"

namespace atmost {

// A run whose end was not recorded, because its supervisor and everything that it had started were
// killed. Taken from its record.
struct Vanished {
  std::uint32_t slot = 0;
  std::int64_t pid = 0;  // of the supervisor
  std::uint64_t token = 0;
};
inline constexpr std::uint32_t kMostVanished = 4;

// The slots of one lock that a lease covers.
struct HeldLock {
  int fd = -1;  // inheritable stores: the descriptor that the command may inherit; else -1
  std::uint64_t token = 0;  // of this admission: greater than every earlier one of this lock
  std::uint32_t count = 0;  // slots held
  // The lock's limit of record at this admission; null: it has none. Borrowed from the session.
  const RecordedLimit* limit = nullptr;
  // Stores with paths: this admission made a lock file of an empty file that it found.
  bool was_empty = false;
  // Runs that had these slots before and recorded no end; the first few of them.
  std::uint32_t vanished_count = 0;
  Vanished vanished[kMostVanished];
  std::uint32_t slots[kMaxTake];  // `count` of them: 1-based, ascending, none above the caller's N
};

// The end of the command, for the record of the last admission. not_started: it could not be
// executed; a store whose traits say `withdraws` then forgets the admission, unless a later one
// followed.
enum class Ending : std::uint8_t { unknown, success, failure, not_started };
constexpr bool is_finish(Ending ending) {
  return ending == Ending::success || ending == Ending::failure;
}

// True if another process is stopping the holder of a lock right now, and why.
enum class Contest : std::uint8_t { none, for_its_place, by_kill };

// A part of the answer of Session::upkeep(): each costs something else.
enum class About : std::uint8_t { lease, contest, place };

// The remaining time of a hold, and its being wanted still. A hold that the kernel ends with its
// holder is good for ever.
struct Upkeep {
  // About::lease. After it others may be admitted: nothing of the command may run.
  std::int64_t until_boot_ns = Duration::kForever;
  bool lost = false;           // others may have been admitted already
  bool asked_to_stop = false;  // by a caller that takes the lock over
  // A store that did not answer when the last hold was released: the moment when its slots are free
  // nevertheless, as its lease has ended by then. 0: they are free.
  std::int64_t left_until_boot_ns = 0;
  // The name of this process's current lease, with which another process can end it later. Its
  // slots, places in queues and claims on others' slots are stored under that lease. Printable,
  // without blanks, no secret. Empty: there is none. Changes only inside calls of the session.
  Text<80> name;

  // About::contest. A store that cannot distinguish takers from `atmost kill` returns
  // for_its_place.
  Contest contest = Contest::none;

  // About::place. The name of the lock still leads to the file that is held; if not, the hold
  // excludes no other caller. True where that cannot be known.
  bool in_place = true;
};

// The lesson of a run, stored at its release, except in leased stores: there, the caller
// lets the session learn it afterwards. `how` null: nothing.
struct Lesson {
  LearnFn how = nullptr;
  RunSample sample;
  // Where a store that learns sets the bit 1 << i if `how` found the run suspicious for lock i;
  // null: nobody asks.
  std::uint32_t* suspicious = nullptr;
};

// Stopping the holder of one slot, step by step.

// The steps of stopping a holder, in their order (CONT is sent with the first two signals). look:
// check whether that hold still has the slot. prove: also find the process that has it, as every
// signal does first.
enum class SignalStep : std::uint8_t { look, prove, interrupt, terminate, kill };

// The finding of a step. All of it is true for one moment only.
struct SignalResult {
  bool held = false;  // the slot is still held
  // The holder cannot be proven from here (another user or pid namespace); nothing was signalled.
  bool unprovable = false;
  bool read_locked = false;  // unprovable: the slot has no holder, only a read lock on it
  bool handed_over = false;  // unprovable: `pid` may have been given its descriptor by others
  bool ancestor = false;     // the holder is an ancestor of this process: not signalled
  // The holder is a library in a program that agreed neither to be stopped nor to be notified.
  bool immune = false;
  // A holder, for messages (after kill: one that is left); 0: none is visible.
  std::int64_t pid = 0;
  Text<63> host;            // prove: the holder's; empty: this one
  Text<63> id, command;     // prove: from its record
  bool noted = false;       // a note in the store asked it to stop; no signal was sent from here
  std::uint64_t token = 0;  // of the holder's admission, from its record
  Stamp start;              // the moment when the hold began, from its record
  // prove: the start of its oldest process, on the boot clock; 0: not known.
  std::int64_t oldest_boot_ns = 0;
  std::uint32_t signalled = 0;
  std::int64_t refused = 0;  // a process of it that may not be signalled (another user's); 0: none
  // kill, in a store whose holds are leases: when the lease, which is no longer renewed, ends; 0:
  // not known.
  std::int64_t until_boot_ns = 0;
};

// The reason for freeing the slot: a caller takes the holder's place, or `atmost kill` stops it.
enum class StopFor : std::uint8_t { its_place, kill };

// The slot is closed to newcomers while this exists; its session outlives it. If this process dies,
// the slot opens again: at once where the kernel releases it, else when the lease of this session
// ends.
class HolderStop {
 public:
  // Signals only processes that are proven to hold the slot at that moment, and their descendants.
  // Reports the slot as not held once its hold (HolderView) is not the one to stop. Does not wait
  // for any process to end.
  virtual Result<SignalResult> signal(SignalStep step) = 0;

  // Finds the processes that still run after the signals of this session, sent by this stop or
  // another one: descendants that were seen of the signalled processes, and processes with one of
  // `tokens` (0: none) in ATMOST_TOKEN of the environment they were started with. Returns their
  // number; `to` gets the pids of the first ones. For messages only: it must not decide what is
  // signalled.
  virtual std::uint32_t survivors(std::span<const std::uint64_t> tokens,
                                  std::span<std::int64_t> to) const {
    (void)tokens, (void)to;
    return 0;
  }

  // For Owned only: opens the slot to newcomers again.
  virtual void close() = 0;

 protected:
  ~HolderStop() = default;
};

}  // namespace atmost

#endif
