// A caller's place in the queues of its locks, and the turns of those before it.
//
// A turn is used or passed: a waiter that could take a free slot, and is owed it, takes it within a
// second or is overtaken. Its place stays, marked: nobody waits for it again until it has taken the
// mark away itself. An admission compares what it was decided on, so to overtake a waiter that
// wakes up at that moment harms nobody: one of the two is refused, and looks.
#ifndef ATMOST_STORE_ETCD_QUEUE_H
#define ATMOST_STORE_ETCD_QUEUE_H

#include "caller.h"

namespace atmost::etcd {

class Queue {
 public:
  explicit Queue(Caller& caller) : caller_(caller) {}

  // Takes a place in each lock's queue. False: it is not known whether it was taken; then it has
  // been given up again.
  Result<bool> draw(const Instant& now, Ticket& ticket, std::int64_t give_up_boot_ns);

  // Changes what was seen of the locks: waiters before us that do not use their turn do not count.
  Status pass_turns(const Ticket* queue, std::int64_t give_up_boot_ns);

  // Takes away the marks of our own places that others have overtaken. True: there were some, and
  // what was seen of the locks is older than that.
  Result<bool> unmark(const Instant& now, const Ticket& ticket, std::int64_t give_up_boot_ns);

 private:
  Status pass_silent(std::int64_t give_up_boot_ns);
  Result<bool> is_silent(std::int64_t lease, std::int64_t give_up_boot_ns);

  Caller& caller_;
};

}  // namespace atmost::etcd

#endif
