// Stopping the holder of one slot of a lock file.
#ifndef ATMOST_STORE_LOCAL_HOLDER_STOP_H
#define ATMOST_STORE_LOCAL_HOLDER_STOP_H

#include <cstdint>

#include "core/holder_stop.h"
#include "lock_file.h"
#include "os/seen_descendants.h"

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

}  // namespace atmost::local

#endif
