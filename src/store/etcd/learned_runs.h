// The memory of the runs of a lock, in etcd: PREFIX/LOCK/runs, and PREFIX/runs for all locks
// (core/stats.h). Only callers that ask for learned limits read and write these keys. They have no
// lease: a job may run once a month.
#ifndef ATMOST_STORE_ETCD_LEARNED_RUNS_H
#define ATMOST_STORE_ETCD_LEARNED_RUNS_H

#include <string>

#include "core/session.h"
#include "keys.h"
#include "transactions.h"

namespace atmost::etcd {

// Borrows its gateway. Each call blocks for at most the timeout of the gateway's Access.
class LearnedRuns {
 public:
  LearnedRuns(Gateway& gateway, const LockSpec& lock);

  // Learns or recalls. To learn, reads, calls `how` and writes, unless another caller wrote
  // meanwhile: then again, a few times.
  Result<Edited> edit(const Edit& what);

 private:
  Transactions transactions_;
  std::string lock_key_, directory_key_;
};

}  // namespace atmost::etcd

#endif
