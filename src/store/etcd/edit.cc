// Changes of a lock by a caller that wants none of its slots: its state, and what was learned of
// its runs. Each is safe against concurrent changes, and blocks for at most the timeout of the
// gateway's Access.
#include <algorithm>

#include "gateway.h"
#include "session.h"
#include "store/fleet/locks.h"

namespace atmost::etcd {
namespace {

// As the rule edits it. Returns the count. `last`: the token of the last admission.
std::uint32_t change(const Keys& keys, const Edit& what, State& state, std::uint64_t last,
                     Txn& txn) {
  rule::State kept = rule_state(state, last);
  const std::uint32_t count = rule::edit(kept, what);
  state.drained = kept.drained;
  state.failures = kept.failures;
  state.refusals = kept.refusals;
  state.refused_since = last;
  if (what.what == Edit::What::drain || what.what == Edit::What::resume) {
    std::vector<std::uint32_t>& slots = state.drained_slots;
    std::erase(slots, what.slot);
    if (what.what == Edit::What::resume && what.slot == 0) slots.clear();
    if (what.what == Edit::What::drain && what.slot != 0)
      slots.insert(std::lower_bound(slots.begin(), slots.end(), what.slot), what.slot);
  }
  if (what.what == Edit::What::forget) {
    for (const char* of : {"cool/", "ever/"}) {
      const std::string intervals = keys.admission() + of;
      txn.erase(intervals, end_of_prefix(intervals));
    }
    txn.erase(keys.rate()).erase(keys.finish()).erase(keys.success()).erase(keys.runs());
    state.forgotten = last;
  }
  return count;
}

}  // namespace

Result<Edited> EtcdSession::edit(std::uint32_t lock, const Edit& edit) {
  const bool of_runs = edit.what == Edit::What::learn || edit.what == Edit::What::recall;
  const Keys& keys = caller_.locks[lock].keys;
  return of_runs ? edit_runs(keys, edit) : edit_state(keys, edit);
}

Result<Edited> EtcdSession::edit_state(const Keys& keys, const Edit& what) {
  bool alien = false;
  Edited edited;
  const auto put_changed = [&](const Transactions::Found& found, Txn& txn) {
    std::optional<State> state = found[0] ? parse_state(found[0]->value) : State{};
    alien = !state;
    if (alien) return false;
    edited.count = change(keys, what, *state, found[1] ? found[1]->modified : 0, txn);
    caller_.put_state(keys, *state, txn);
    return true;
  };
  const Status done =
      caller_.transactions.change({keys.state(), keys.last()}, "the lock's state cannot be changed",
                                  caller_.give_up(), put_changed);
  if (alien) return alien_key(keys.state());
  return done.ok() ? Result<Edited>(edited) : done.error();
}

// The memory of the runs of a lock: PREFIX/LOCK/runs, and PREFIX/runs for all locks (core/stats.h).
// Only callers that ask for learned limits read and write these keys. They have no lease: a job may
// run once a month.
Result<Edited> EtcdSession::edit_runs(const Keys& keys, const Edit& what) {
  const std::string of_all = caller_.gateway.access().prefix + "/runs";
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
    txn.put(keys.runs(), fleet::bytes_of(lock)).put(of_all, fleet::bytes_of(directory));
    return true;
  };
  const Status done = caller_.transactions.change(
      {keys.runs(), of_all}, "runs cannot be learned from", caller_.give_up(), visit);
  return done.ok() ? Result<Edited>(edited) : done.error();
}

}  // namespace atmost::etcd
