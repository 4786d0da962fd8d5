// Writes a plan: one transaction, which etcd applies only if what was read still holds.
//
// Compared are the last admission, the state and the ring of a lock, the interval's key, that no
// key of a slot to take exists, and that our own place and those of the waiters whose turns are
// noted do. That is enough: every admission writes the first of these, a release only makes room,
// and later waiters stand behind. The transaction that is refused reads all anew.
#ifndef ATMOST_STORE_ETCD_PLAN_WRITER_H
#define ATMOST_STORE_ETCD_PLAN_WRITER_H

#include <cstdint>

#include "caller.h"
#include "intervals.h"
#include "rule/judge.h"

namespace atmost::etcd {

class PlanWriter {
 public:
  enum class Wrote : std::uint8_t {
    done,
    changed,   // nothing was written, or a place was drawn: the snapshots are of this moment
    outdated,  // nothing was written: look again
    doubtful,  // it may have been written
  };

  PlanWriter(Caller& caller, Intervals& intervals, const Rates& rates)
      : caller_(caller), intervals_(intervals), rates_(rates) {}

  // Takes the slots of all locks. done: our keys were read behind it.
  Result<Wrote> admit(const Instant& now, const Ticket* queue, std::int64_t give_up_boot_ns);

  // Writes the place in the queues of a caller that is not admitted, and turns of others.
  Result<Wrote> wait(const rule::Plan& plan, const Instant& now, Ticket* queue,
                     std::int64_t give_up_boot_ns);

 private:
  void take_slots(LockFacts& lock, const Instant& now, Txn& txn);
  void compare(const LockFacts& lock, Txn& txn) const;
  void note_turns(const LockFacts& lock, std::uint64_t own, Txn& txn);
  void describe_place(std::uint32_t lock, const rule::Plan& plan, const Instant& now,
                      const Ticket& queue, Txn& txn) const;
  bool any_noted(const rule::Plan& plan) const;
  bool proves(const TxnReply& reply);
  Result<Wrote> refused(const Written& written, const Ticket* queue, std::int64_t give_up_boot_ns);

  Caller& caller_;
  Intervals& intervals_;
  const Rates& rates_;
  unsigned notes_ = 0;  // in this transaction
};

}  // namespace atmost::etcd

#endif
