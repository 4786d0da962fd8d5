// A caller's place in the queues of its locks, and the turns of those before it.
//
// A turn is used or passed: a waiter that is owed a free slot takes it within a second or is
// overtaken. Its key stays in the queue and is marked: the others do not wait for it again until it
// has removed the mark itself. Overtaking a waiter that wakes up at the same moment is safe: an
// admission compares what it was decided on, so one of the two is refused and looks again.
#ifndef ATMOST_STORE_ETCD_QUEUE_H
#define ATMOST_STORE_ETCD_QUEUE_H

#include "caller.h"

namespace atmost::etcd {

class Queue {
 public:
  explicit Queue(Caller& caller) : caller_(caller) {}

  // Takes a place in each lock's queue. False: it is not known whether it was taken; then the lease
  // was ended, and the place with it.
  Result<bool> draw(const Instant& now, Ticket& ticket, std::int64_t give_up_boot_ns);

  // For a transaction that takes a place in each lock's queue, under the caller's lease: adds what
  // it does, all of it reads but the first parts; and takes the ticket from its reply, whose part
  // `part` is the first of those. The locks' snapshots are no younger than the reply.
  void add_places(const Instant& now, Txn& txn) const;
  void take_places(const TxnReply& reply, std::size_t part, Ticket& ticket);

  // Changes the snapshots of the locks: waiters before us that do not use their turn do not count.
  Status pass_turns(const Ticket* queue, std::int64_t give_up_boot_ns);

  // Removes the marks from our own places that were overtaken. True: there were some, and the
  // snapshots of the locks are older than the removal.
  Result<bool> unmark(const Instant& now, const Ticket& ticket, std::int64_t give_up_boot_ns);

 private:
  std::string place_of(const OpenLock& lock) const;
  Status pass_silent(std::int64_t give_up_boot_ns);
  Result<bool> is_silent(std::int64_t lease, std::int64_t give_up_boot_ns);

  Caller& caller_;
};

}  // namespace atmost::etcd

#endif
