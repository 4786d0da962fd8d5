#include "lock_state.h"

#include <algorithm>

#include "hint_lease.h"
#include "words.h"

namespace atmost::etcd {
std::int64_t lease_of(const State& state, const std::string& prefix) {
  return state.drained || !state.drained_slots.empty() ? 0 : hint_lease(prefix);
}

rule::State rule_state(const State& state, std::uint64_t last) {
  rule::State to;
  to.token = last;
  to.drained = state.drained;
  to.refusals = state.refused_since == last ? state.refusals : 0;
  to.failures = state.failures;
  return to;
}

// Returns the count. `last`: the token of the last admission.
std::uint32_t LockState::change(const Edit& what, State& state, std::uint64_t last,
                                Txn& txn) const {
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
      const std::string intervals = keys_.admission() + of;
      txn.erase(intervals, end_of_prefix(intervals));
    }
    txn.erase(keys_.rate()).erase(keys_.finish()).erase(keys_.success()).erase(keys_.runs());
    state.forgotten = last;
  }
  return count;
}

Result<Edited> LockState::edit(const Edit& what) {
  bool alien = false;
  Edited edited;
  const auto put_changed = [&](const Transactions::Found& found, Txn& txn) {
    std::optional<State> state = found[0] ? parse_state(found[0]->value) : State{};
    alien = !state;
    if (alien) return false;
    edited.count = change(what, *state, found[1] ? found[1]->modified : 0, txn);
    txn.put(keys_.state(), state->text(), lease_of(*state, prefix_));
    return true;
  };
  const Status done =
      transactions_.change({keys_.state(), keys_.last()}, "the lock's state cannot be changed",
                           transactions_.give_up(), put_changed);
  if (alien) return alien_key(keys_.state());
  return done.ok() ? Result<Edited>(edited) : done.error();
}

}  // namespace atmost::etcd
