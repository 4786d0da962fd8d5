#ifndef ATMOST_STORE_MEMORY_HOLDER_STOP_H
#define ATMOST_STORE_MEMORY_HOLDER_STOP_H

#include <cstdint>

#include "core/holder_stop.h"
#include "lock.h"

namespace atmost::memory {

// One of an array in a session: free until begin().
class MemoryHolderStop final : public HolderStop {
 public:
  // False: another session is at it. Borrows the lock until close().
  bool begin(Lock& lock, const MemorySession& session, std::uint32_t slot, std::uint64_t hold,
             StopFor what_for);
  bool begun() const { return lock_ != nullptr; }

  Result<SignalResult> signal(SignalStep step) override;
  void close() override;

 private:
  Lock* lock_ = nullptr;
  std::uint32_t slot_ = 0;
  std::uint64_t hold_ = 0;
};

}  // namespace atmost::memory

#endif
