// --if-elapsed: the time since the last admission, by proofs that compare no clock with another's.
//
// Etcd's leader counts a lease down, and begins anew when another is elected: its report is true,
// but may come late by the whole lease each time. So a caller that is refused as too soon leaves
// two things for later callers. One is that its own machine saw the key at a moment of its boot
// clock: later callers of that machine can trust their clock. The other, when much of the interval
// is over, is a shorter lease in place of the old one. The machine of the admitted caller is a
// witness from the start.
#ifndef ATMOST_STORE_ETCD_INTERVALS_H
#define ATMOST_STORE_ETCD_INTERVALS_H

#include <functional>

#include "caller.h"

namespace atmost::etcd {

class Intervals {
 public:
  explicit Intervals(Caller& caller) : caller_(caller) {}

  // Finds out lock.cooled_ns: never more than the true value.
  Status read(LockFacts& lock, std::int64_t give_up_boot_ns);

  // Gets the leases of the intervals that an admission begins; begin() adds one to the admission,
  // and settle() makes sure, before the command starts, that no interval counts from an earlier
  // moment.
  Status prepare(std::int64_t give_up_boot_ns);
  void begin(LockFacts& lock, bool given, Txn& txn);
  Status settle();

  // Leaves for later callers what was learned about a lock that refused as too soon. Failures are
  // not reported.
  void add_witness(const LockFacts& lock, std::int64_t give_up_boot_ns);

  // The same for intervals that count from the end of a run: gets their lease, and adds one to the
  // release of each lock.
  void prepare_end(Ending ending, const Instant& now, std::int64_t give_up_boot_ns);
  void begin_at_end(const LockFacts& lock, const std::string& moment, Txn& txn) const;

 private:
  // For intervals that begin with the end of the run.
  struct AtEnd {
    bool counts = false;
    std::int64_t lease = 0;  // 0: none
    std::string text;
  };

  Caller& caller_;
  AtEnd at_end_;
};

// --rate: the admissions of the locks of a request (ring.h), and their effect on its waiting.

class Rates {
 public:
  explicit Rates(Caller& caller) : caller_(caller) {}

  // To be called when the snapshots of the locks have changed, before they are used: dates their
  // admissions.
  void see(const Instant& now);

  // Adds to an admission what later callers have to know of it.
  void record(LockFacts& lock, Txn& txn) const;
  // The command of that admission could not be executed: it does not count if it is still the
  // newest one. Failures are not reported.
  void take_back(LockFacts& lock, std::int64_t give_up_boot_ns) const;
  // Makes sure, before the command starts, that the rate counts from no earlier moment. A start
  // that comes up to 250 ms late counts from the decision.
  Status settle() const;
  // Leaves for later callers of this machine what a caller that is refused has learned. Failures
  // are not reported.
  void leave_word(LockFacts& lock, std::int64_t give_up_boot_ns);

 private:
  bool change(const LockFacts& lock, std::int64_t give_up_boot_ns,
              const std::function<bool(Ring&)>& how) const;
  void put(const LockFacts& lock, const Ring& ring, Txn& txn) const;

  Caller& caller_;
};

}  // namespace atmost::etcd

#endif
