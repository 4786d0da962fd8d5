// --rate: the admissions of the locks of a request (ring.h), and what they mean for its waiting.
#ifndef ATMOST_STORE_ETCD_RATES_H
#define ATMOST_STORE_ETCD_RATES_H

#include "caller.h"

namespace atmost::etcd {

class Rates {
 public:
  explicit Rates(Caller& caller) : caller_(caller) {}

  // To be called when the snapshots of the locks have changed, before they are used: dates their
  // admissions, and finds out which waiters before us their rates keep back. `seen_boot_ns`: a
  // moment since then, by the clock of `now`.
  void see(const Instant& now, const Ticket* queue, std::int64_t seen_boot_ns);

  // As View::first_in_rate.
  Stamp first_in_rate(const OpenLock& lock) const;

  // Adds to an admission what later callers have to know of it.
  void record(OpenLock& lock, Txn& txn) const;
  // The command of that admission could not be executed: it does not count if it is still the
  // newest one. Failures are not reported.
  void take_back(OpenLock& lock, std::int64_t give_up_boot_ns) const;
  // Leaves for later callers of this machine what a caller that is refused has learned. Failures
  // are not reported.
  void leave_word(OpenLock& lock, std::int64_t give_up_boot_ns);

  // How long await() may wait at most for its turn, when nothing happens: until our rate allows us.
  std::int64_t look_at_boot_ns(const OpenLock& lock, const Ticket& ticket) const;

 private:
  void put(const OpenLock& lock, const Ring& ring, Txn& txn) const;

  Caller& caller_;
};

}  // namespace atmost::etcd

#endif
