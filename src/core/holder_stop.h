// Stopping the holder of one slot, step by step.
#ifndef ATMOST_HOLDER_STOP_H
#define ATMOST_HOLDER_STOP_H

#include <cstdint>
#include <span>

#include "core/result.h"
#include "core/text.h"
#include "core/time.h"

namespace atmost {

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
