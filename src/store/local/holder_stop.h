// Stopping the holder of one slot of a lock file.
#ifndef ATMOST_STORE_LOCAL_HOLDER_STOP_H
#define ATMOST_STORE_LOCAL_HOLDER_STOP_H

#include <cstdint>

#include "core/hold.h"
#include "lock_file.h"
#include "os/tree.h"

namespace atmost::local {

// A locked byte beside the slot marks it as being stopped; the kernel unlocks it when this process
// ends. One of an array in the session: free until begin().
class LocalHolderStop final : public HolderStop {
 public:
  // Borrows the open file and `seen` until close(). False: another process is stopping the holder.
  Result<bool> begin(LockFile& file, os::SeenDescendants& seen, std::uint32_t slot,
                     std::uint64_t hold, StopFor what_for);
  bool begun() const { return file_ != nullptr; }

  Result<SignalResult> signal(SignalStep step) override;
  std::uint32_t survivors(std::span<const std::uint64_t> tokens,
                          std::span<std::int64_t> to) const override;
  void close() override;

 private:
  LockFile* file_ = nullptr;
  os::SeenDescendants* seen_ = nullptr;
  std::uint32_t slot_ = 0;
  std::uint64_t hold_ = 0;
  StopFor what_for_ = StopFor::its_place;
};

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
