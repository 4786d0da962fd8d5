// The state that the parts of a session share: the connection, the lease, and the locks as last
// seen.
#ifndef ATMOST_STORE_ETCD_CALLER_H
#define ATMOST_STORE_ETCD_CALLER_H

#include <cstdint>
#include <deque>

#include "core/request.h"
#include "core/session.h"
#include "facts.h"
#include "gateway.h"
#include "own_lease.h"
#include "store/fleet/termination_latch.h"
#include "transactions.h"

namespace atmost::etcd {

// One request and one lease. Single-threaded; a thread of its own renews the lease.
struct Caller {
  // `alone`: it may handle the signals that end the process (store.h). Borrows the rest.
  Caller(const Access& access, ClusterHistory& history, const Request& asked, bool alone);

  std::int64_t give_up() const { return transactions.give_up(); }
  CallerPlace place(std::size_t lock, const Ticket* queue) const;
  Status ensure_lease(std::int64_t give_up_boot_ns);
  // If a termination signal came: ends the lease, then this process.
  void exit_if_terminated();
  // Ends the lease. If etcd does not answer, waits only briefly; then the lease ends by itself.
  void end_lease();

  // Reads all locks anew.
  Status look(const Ticket* queue);
  // The keys that look() reads, as parts of another transaction. `draws`: as with CallerPlace.
  void ask_for_snapshots(const Ticket* queue, bool draws, Txn& txn) const;
  // They are the last parts of the reply.
  Status take_snapshots(const Ticket* queue, bool draws, const TxnReply& reply);
  // Under no lease while it has something that a user ordered.
  void put_state(const Keys& keys, const State& state, Txn& txn) const;
  // True if every lock, as last seen, is held under our lease.
  bool holds_all() const;

  const Request& request;
  Gateway gateway;
  Transactions transactions{gateway};
  OwnLease lease;
  fleet::TerminationLatch latch;
  const bool latches;
  std::deque<LockFacts> locks;
};

}  // namespace atmost::etcd

#endif
