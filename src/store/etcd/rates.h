// --rate: the admissions of the locks of a request (ring.h), and their effect on its waiting.
#ifndef ATMOST_STORE_ETCD_RATES_H
#define ATMOST_STORE_ETCD_RATES_H

#include <functional>

#include "caller.h"

namespace atmost::etcd {

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
