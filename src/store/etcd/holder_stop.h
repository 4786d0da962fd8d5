// Stopping a holder: it is asked through etcd and stops itself; if it cannot answer, its lease ends
// in time.
#ifndef ATMOST_STORE_ETCD_HOLDER_STOP_H
#define ATMOST_STORE_ETCD_HOLDER_STOP_H

#include <cstdint>

#include "caller.h"
#include "core/holder_stop.h"

namespace atmost::etcd {

// On the heap; close() frees it. Its claim on the slot lies under the caller's lease, which may end
// before.
class EtcdHolderStop final : public HolderStop {
 public:
  // Claims the slot: admissions that were decided before are refused. REQUIRES: the caller has seen
  // the lock (Caller::look()). Empty: another taker has claimed it, or the lock has changed since.
  // `due_ns`: the age that the hold must have for its holder to stop.
  static Result<Owned<HolderStop>> begin(Caller& caller, std::uint32_t lock, std::uint32_t slot,
                                         std::uint64_t hold, std::int64_t due_ns);

  Result<SignalResult> signal(SignalStep step) override;
  void close() override;

 private:
  EtcdHolderStop(Caller& caller, std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                 std::int64_t due_ns)
      : caller_(caller), lock_(lock), slot_(slot), hold_(hold), due_ns_(due_ns) {}

  const Keys& keys() const { return caller_.locks[lock_].keys; }
  // Leaves a note for the holder, under the holder's lease: the note goes with it.
  bool ask(std::int64_t holders_lease);

  Caller& caller_;
  const std::uint32_t lock_;
  const std::uint32_t slot_;
  const std::uint64_t hold_;
  const std::int64_t due_ns_;
  SignalResult last_;  // what the last look found
  std::int64_t looked_boot_ns_ = 0;
};

}  // namespace atmost::etcd

#endif
