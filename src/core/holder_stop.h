// Stopping the holder of one slot, step by step.
#ifndef ATMOST_HOLDER_STOP_H
#define ATMOST_HOLDER_STOP_H

#include <cstdint>
#include <span>

#include "core/result.h"
#include "core/text.h"
#include "core/time.h"

namespace atmost {

// The steps towards a holder, in their order (CONT is sent with the first two signals). look:
// whether the slot is still held by that hold. prove: by which process, too, as before a signal.
enum class SignalStep : std::uint8_t { look, prove, interrupt, terminate, kill };

// What a step found. Facts of one moment.
struct SignalResult {
  bool held = false;  // the slot is still held
  // Its process cannot be proven from here (another user, another pid namespace): no signal was
  // sent.
  bool unprovable = false;
  bool read_locked = false;  // unprovable: a process has a read lock on the slot, which is no hold
  bool handed_over = false;  // unprovable: others may have handed `pid` what it holds the slot by
  bool ancestor = false;     // by an ancestor of ours: not signalled
  bool immune = false;       // by a library in a program that agreed neither to be stopped nor told
  std::int64_t pid =
      0;          // a holder, for messages (after kill: one that is left); 0: none is visible
  Text<63> host;  // prove: the holder's; empty: this one
  Text<63> id, command;     // prove: as its record says
  bool noted = false;       // it was notified by a note in the store; no signal was sent from here
  std::uint64_t token = 0;  // of the holder's admission, as its record says
  Stamp start;              // when the hold began, as its record says
  // prove: the start of its oldest process, on the boot clock; 0: not known.
  std::int64_t oldest_boot_ns = 0;
  std::uint32_t signalled = 0;
  // kill, of a store whose holds are leases: nobody renews it any more, and it is over then; 0: not
  // known.
  std::int64_t until_boot_ns = 0;
};

// What a holder is stopped for: a caller takes its place, or none does (`atmost kill`).
enum class StopFor : std::uint8_t { its_place, kill };

// The slot is closed to newcomers while this exists; its session outlives it. If this process dies,
// the slot is open again: at once where the kernel sees to that, else when the lease of this
// session ends.
class HolderStop {
 public:
  // Signals only processes that are proven to hold the slot at that moment, and their descendants.
  // SignalResult::held is false as soon as the slot has another hold (HolderView) than the one to
  // stop. Does not wait for a process to end.
  virtual Result<SignalResult> signal(SignalStep step) = 0;

  // What still runs of the holders that this session signalled, by this stop or another one: the
  // processes that were seen below them, and those with one of `tokens` (0: none) in ATMOST_TOKEN
  // of the environment they were started with. Returns how many; `to` gets the pids of the first.
  // For messages: nothing may be decided or signalled by it.
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
