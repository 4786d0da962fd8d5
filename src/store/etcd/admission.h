// Taking the slots that a decision admitted.
#ifndef ATMOST_STORE_ETCD_ADMISSION_H
#define ATMOST_STORE_ETCD_ADMISSION_H

#include <cstdint>
#include <vector>

#include "caller.h"
#include "intervals.h"
#include "queue.h"
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

  // The first transaction of a caller that waits, before it has seen anything: takes the slot if no
  // caller holds the lock or waits for it, and draws a ticket otherwise. yes, unknown: as above;
  // no: `queue` is drawn, and the snapshot is of that moment. REQUIRES: may_come_unseen(), and a
  // decision that admits when nothing is in the way.
  Result<Applied> admit_unseen(const Instant& now, Ticket& queue, Queue& places,
                               std::int64_t give_up_boot_ns);
  // Whether all that could refuse the caller, or have it act otherwise than by waiting, can be
  // compared by etcd.
  bool may_come_unseen(const Ticket* queue) const;

  // Whether a key with this caller's own record was seen under a lease that is not its own.
  bool sees_itself(const Instant& now) const;

 private:
  enum class Last : std::uint8_t { compared, any };
  void add(std::uint32_t index, const CallerPlace& who, const Instant& now,
           const std::vector<std::uint32_t>& slots, Last last, Txn& txn);
  // Asks for the lease, if there is none, for the transaction and for a renewal, without waiting
  // for an answer to the one before. A transaction whose lease is not granted does nothing: etcd
  // refuses it as a whole. An Error: no lease.
  Result<Applied> write(const Txn& txn, std::int64_t give_up_boot_ns, TxnReply& reply,
                        Answer& answer);
  Result<Applied> refused(const Answer& answer, const Ticket* queue, const TxnReply& reply);
  bool proves(const TxnReply& reply);

  Caller& caller_;
  Intervals& intervals_;
  const Rates& rates_;
};

}  // namespace atmost::etcd

#endif
