#include "learned_runs.h"

#include "store/fleet/stats_bytes.h"

namespace atmost::etcd {
LearnedRuns::LearnedRuns(Gateway& gateway, const LockSpec& lock)
    : transactions_(gateway),
      lock_key_(Keys(gateway.access().prefix, lock_of(lock)).runs()),
      directory_key_(gateway.access().prefix + "/runs") {}

Status LearnedRuns::recall(LockStats& lock, DirectoryStats& directory) {
  return visit([&](LockStats& of_lock, DirectoryStats& of_all) {
    lock = of_lock;
    directory = of_all;
    return false;
  });
}

bool LearnedRuns::learn(LearnFn how, const RunSample& sample) {
  bool suspicious = false;
  (void)visit([&](LockStats& lock, DirectoryStats& directory) {
    suspicious = how(lock, directory, sample);
    return true;
  });
  return suspicious;
}

// `what` may change both, and answers whether they are to be written.
Status LearnedRuns::visit(const std::function<bool(LockStats&, DirectoryStats&)>& what) {
  const auto both = [&](const Transactions::Found& found, Txn& txn) {
    LockStats lock = {};
    DirectoryStats directory = {};
    if (found[0]) fleet::read_bytes(found[0]->value, lock);
    if (found[1]) fleet::read_bytes(found[1]->value, directory);
    if (!what(lock, directory)) return false;
    txn.put(lock_key_, fleet::bytes_of(lock)).put(directory_key_, fleet::bytes_of(directory));
    return true;
  };
  return transactions_.change({lock_key_, directory_key_}, "runs cannot be learned from",
                              transactions_.give_up(), both);
}

}  // namespace atmost::etcd
