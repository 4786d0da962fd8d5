// The memory of the runs of a lock, in etcd: PREFIX/LOCK/runs, and PREFIX/runs for all locks
// (core/stats.h). Only callers that ask for learned limits read and write these keys. They have no
// lease: a job may run once a month.
#ifndef ATMOST_STORE_ETCD_LEARNED_RUNS_H
#define ATMOST_STORE_ETCD_LEARNED_RUNS_H

#include <functional>
#include <string>

#include "core/stats.h"
#include "keys.h"
#include "transactions.h"

namespace atmost::etcd {

// Borrows its gateway. Each call blocks for at most the timeout of the gateway's Access.
class LearnedRuns {
 public:
  LearnedRuns(Gateway& gateway, const LockSpec& lock);

  Status recall(LockStats& lock, DirectoryStats& directory);
  // Reads, calls `how` and writes, unless another caller wrote meanwhile: then again, a few times.
  // Returns what `how` does; failures are not reported.
  bool learn(LearnFn how, const RunSample& sample);

 private:
  Status visit(const std::function<bool(LockStats&, DirectoryStats&)>& what);

  Transactions transactions_;
  std::string lock_key_, directory_key_;
};

}  // namespace atmost::etcd

#endif
