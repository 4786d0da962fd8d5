#include "learned_runs.h"

#include "store/fleet/stats_bytes.h"

namespace atmost::etcd {
LearnedRuns::LearnedRuns(Gateway& gateway, const LockSpec& lock)
    : transactions_(gateway),
      lock_key_(Keys(gateway.access().prefix, lock_of(lock)).runs()),
      directory_key_(gateway.access().prefix + "/runs") {}

Result<Edited> LearnedRuns::edit(const Edit& what) {
  Edited edited;
  const auto visit = [&](const Transactions::Found& found, Txn& txn) {
    LockStats lock = {};
    DirectoryStats directory = {};
    if (found[0]) fleet::read_bytes(found[0]->value, lock);
    if (found[1]) fleet::read_bytes(found[1]->value, directory);
    if (what.what == Edit::What::recall) {
      *what.lock = lock;
      *what.directory = directory;
      edited.kept = StatsKept::kept;
      return false;
    }
    edited.suspicious = what.how(lock, directory, what.sample);
    txn.put(lock_key_, fleet::bytes_of(lock)).put(directory_key_, fleet::bytes_of(directory));
    return true;
  };
  const Status done = transactions_.change(
      {lock_key_, directory_key_}, "runs cannot be learned from", transactions_.give_up(), visit);
  return done.ok() ? Result<Edited>(edited) : done.error();
}

}  // namespace atmost::etcd
