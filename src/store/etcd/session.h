// The locks of one request in etcd: looking, deciding, taking, waiting.
#ifndef ATMOST_STORE_ETCD_SESSION_H
#define ATMOST_STORE_ETCD_SESSION_H

#include <cstdint>
#include <vector>

#include "caller.h"
#include "core/session.h"
#include "intervals.h"
#include "plan_writer.h"
#include "queue_watch.h"
#include "rule/judge.h"

namespace atmost::etcd {

// On the heap; close() frees it, and ends its lease. If etcd does not answer, it waits only
// briefly.
class EtcdSession final : public Session {
 public:
  // Borrows its arguments. `alone`: see EtcdStore.
  EtcdSession(const Access& access, ClusterHistory& history, const Request& request, bool alone)
      : caller_(access, history, request, alone), held_(request.lock_count) {
    for (LockFacts& lock : caller_.locks) facts_.push_back(&lock);
  }

  Status look(const Attempt& attempt, rule::Looked& to) override;
  Status apply(const rule::Plan& plan, const Instant& now, Ticket* queue,
               rule::Applied& to) override;
  Result<Wake> await(Ticket& ticket, std::int64_t deadline_boot_ns) override;
  Result<Edited> edit(std::uint32_t lock, const Edit& edit) override;
  Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                 StopFor what_for) override;
  Upkeep upkeep(About what, std::uint32_t lock) const override;
  void end(const End& what) override;

 private:
  Result<Edited> edit_state(const Keys& keys, const Edit& what);
  Result<Edited> edit_runs(const Keys& keys, const Edit& what);
  Result<bool> claim(LockFacts& open, std::uint32_t slot);
  Status read(Ticket* queue);
  bool lost_place(const Ticket* queue) const;
  Status enter(const Instant& now, Ticket* queue, rule::Applied& to);
  Status refuse(const rule::Plan& plan, const Instant& now, Ticket* queue, rule::Applied& to);
  // True if an admission was made whose answer was lost; if it was not, the lease and the place in
  // the queue are gone, so it cannot be made any more.
  Result<bool> settle_doubt(Ticket* queue);
  // Begins the hold that was requested at that moment. An Error: the lease cannot be relied on, and
  // was ended.
  Status take_up(std::int64_t asked_boot_ns);
  Status begin_hold(std::int64_t asked_boot_ns);
  void release(Ending ending, const Instant& now);
  // Returns the error. If etcd cannot be asked to end the lease, it ends by itself.
  Error fail(Error error);
  void exit_if_terminated();

  Caller caller_;
  Intervals intervals_{caller_};
  Rates rates_{caller_};
  PlanWriter writer_{caller_, intervals_, rates_};
  QueueWatch watch_{caller_};
  std::vector<HeldLock> held_;
  bool holds_ = false;
  std::int64_t left_until_ns_ = 0;  // the last release had no answer: its lease ends then
  std::vector<rule::Facts*> facts_;
  std::int64_t end_ns_ = 0;       // of the attempt
  std::uint32_t refused_by_ = 0;  // the lock
  bool fresh_ = false;            // the snapshots are of this moment
  bool may_replace_ = false;      // the last attempt could stop a holder of any age
};

}  // namespace atmost::etcd

#endif
