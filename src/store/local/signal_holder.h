// Signals to the holder of one slot: the processes that they may reach, and the proof of that.
//
// A process is a holder when, after a handle to it was opened, its own descriptors show a lock on
// this inode and this byte (os::holds_byte) and the handle still means a living process. Records
// and F_GETLK's pid only say where to look first. Description-owned locks show in every process
// that inherited them, so the tree of a dead supervisor is found, too. Never signalled: pid 1 and
// below, this process, its ancestors. If one of those is a holder, no process is signalled.
#ifndef ATMOST_STORE_LOCAL_SIGNAL_HOLDER_H
#define ATMOST_STORE_LOCAL_SIGNAL_HOLDER_H

#include <cstdint>

#include "core/holder_stop.h"
#include "lock_file.h"
#include "os/seen_descendants.h"

namespace atmost::local {

// Sends the signals of `step` to the proven holders of `slot`, and returns what was found: CONT and
// INT, CONT and TERM to the supervisor alone when there is a living one (it passes them on), else
// to every holder; KILL to everything below the holders until nothing is left there, then to the
// holders. Not held: the slot is free, or its hold is not `hold`. SignalStep::look takes
// microseconds, the others milliseconds (they read /proc). Adds the descendants of the signalled
// holders to `seen`. REQUIRES: guarded, so that no caller that uses the guard takes or frees
// the slot meanwhile.
SignalResult signal_holder(LockFile& file, std::uint32_t slot, std::uint64_t hold, SignalStep step,
                           os::SeenDescendants& seen);

}  // namespace atmost::local

#endif
