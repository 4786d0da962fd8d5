// Taking the slots that a decision admitted.
#ifndef ATMOST_STORE_ETCD_ADMISSION_H
#define ATMOST_STORE_ETCD_ADMISSION_H

#include <cstdint>
#include <vector>

#include "caller.h"
#include "intervals.h"
#include "rates.h"

namespace atmost::etcd {

class Admission {
 public:
  Admission(Caller& caller, Intervals& intervals, const Rates& rates)
      : caller_(caller), intervals_(intervals), rates_(rates) {}

  // Takes the slots of all locks, as they were last seen, in one transaction. yes: our keys are
  // there; no: something had changed, and the snapshots are now up to date; unknown: only another
  // read can decide.
  Result<Applied> admit(const Instant& now, const Ticket* queue, std::int64_t give_up_boot_ns);

  // Whether a key with this caller's own record was seen under a lease that is not its own.
  bool sees_itself(const Instant& now) const;

 private:
  void add(std::uint32_t index, const CallerPlace& who, const Instant& now,
           const std::vector<std::uint32_t>& slots, Txn& txn);
  Result<Applied> refused(const Answer& answer, const Ticket* queue, const TxnReply& reply);
  bool proves(const TxnReply& reply);

  Caller& caller_;
  Intervals& intervals_;
  const Rates& rates_;
};

}  // namespace atmost::etcd

#endif
