// The locks of one request in etcd: looking, deciding, taking, waiting.
#ifndef ATMOST_STORE_ETCD_SESSION_H
#define ATMOST_STORE_ETCD_SESSION_H

#include <cstdint>
#include <vector>

#include "admission.h"
#include "caller.h"
#include "core/session.h"
#include "intervals.h"
#include "lease.h"
#include "queue.h"
#include "queue_watch.h"
#include "rates.h"

namespace atmost::etcd {

// On the heap; close() frees it, and ends its lease. If etcd does not answer, it waits only
// briefly.
class EtcdSession final : public Session {
 public:
  // Borrows its arguments. `alone`: see EtcdStore.
  EtcdSession(const Access& access, ClusterHistory& history, const Request& request, bool alone)
      : caller_(access, history, request, alone), held_(request.lock_count) {}

  Result<Decision> attempt(DecideFn decide, const Instant& now, Ticket* queue,
                           Lease& lease) override;
  Result<Wake> await(Ticket& ticket, std::int64_t deadline_boot_ns) override;
  void withdraw(Ticket& ticket) override;
  Result<std::uint32_t> count_refusal(std::uint32_t lock) override;
  Result<std::uint32_t> count_end(std::uint32_t lock, bool failed) override;
  bool learn(std::uint32_t lock, LearnFn how, const RunSample& sample) override;
  Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                 StopFor what_for) override;
  Text<80> lease_name() const override;
  void close() override;

 private:
  // The moments of one attempt, by the clock of its caller: that of the machine, but in tests.
  class Clock {
   public:
    explicit Clock(const Instant& asked);
    // When the caller asked: for its records.
    const Instant& asked() const { return asked_; }
    // When the present try began, by which it is decided.
    const Instant& now() const { return now_; }
    std::int64_t boot_ns() const;
    // Begins another try, as other callers were faster.
    void try_again();

   private:
    Instant asked_;
    Instant now_;
    std::int64_t ahead_ns_;  // of the machine's clock
  };
  Status look(const Clock& clock, const Ticket* queue, std::int64_t give_up_boot_ns);
  // Admission::admit_unseen(), once. no: it was not tried.
  Result<Applied> come_unseen(DecideFn decide, const Instant& now, Ticket* queue,
                              std::int64_t give_up_boot_ns);
  bool lost_place(const Ticket* queue) const;
  Result<Decision> decide_all(DecideFn decide, const Instant& now, const Ticket* queue,
                              std::int64_t give_up_boot_ns);
  // Acts on a decision that does not admit. False: look again.
  Result<bool> refuse(const Decision& decision, const Clock& clock, Ticket* queue, bool in_doubt,
                      std::int64_t give_up_boot_ns);
  Result<bool> join_queue(const Instant& now, Ticket& queue, std::int64_t give_up_boot_ns);
  // Begins the hold. An Error: the lease cannot be relied on, and was ended.
  Status take_up();
  Result<Decision> enter(Ticket* queue, Lease& lease);
  // Returns the error. If etcd cannot be asked to end the lease, it ends by itself.
  Error fail(Error error);
  void exit_if_terminated();

  Caller caller_;
  Intervals intervals_{caller_};
  Queue queue_{caller_};
  Rates rates_{caller_};
  Admission admission_{caller_, intervals_, rates_};
  QueueWatch watch_{caller_};
  std::vector<HeldLock> held_;
  EtcdHold hold_{caller_, intervals_, rates_, held_};
  std::uint32_t refused_by_ = 0;  // the lock
  bool came_ = false;             // it has made its first attempt
  bool may_replace_ = false;      // the last attempt could stop a holder of any age
  std::vector<HolderView> holders_;
};

}  // namespace atmost::etcd

#endif
