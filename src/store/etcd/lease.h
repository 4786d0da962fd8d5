// The slots that this caller holds in etcd.
#ifndef ATMOST_STORE_ETCD_LEASE_H
#define ATMOST_STORE_ETCD_LEASE_H

#include <vector>

#include "caller.h"
#include "core/hold.h"
#include "intervals.h"
#include "rates.h"

namespace atmost::etcd {

// Borrows what it is made of. `held`: one for each lock of the request.
class EtcdHold {
 public:
  EtcdHold(Caller& caller, Intervals& intervals, const Rates& rates, std::vector<HeldLock>& held)
      : caller_(caller), intervals_(intervals), rates_(rates), held_(held) {}

  // Begins the hold of what the last snapshots show as ours: from now on the connection that
  // carried the admission renews the lease and looks for requests to stop. REQUIRES:
  // Caller::holds_all(), and that the lease was renewed by that connection (OwnLease::prove()).
  void begin();
  bool holds() const { return holds_; }
  std::int64_t left_until_boot_ns() const { return left_until_ns_; }

  // As Session::release().
  void release(Ending ending, const Instant& now);

 private:
  Caller& caller_;
  Intervals& intervals_;
  const Rates& rates_;
  std::vector<HeldLock>& held_;
  bool holds_ = false;
  std::int64_t left_until_ns_ = 0;
};

}  // namespace atmost::etcd

#endif
