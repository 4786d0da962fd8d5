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

// `change` gets the state, the token of the last admission, and the transaction that writes the
// state.
Status LockState::change(const std::function<void(State&, std::uint64_t, Txn&)>& change) {
  bool alien = false;
  const auto put_changed = [&](const Transactions::Found& found, Txn& txn) {
    std::optional<State> state = found[0] ? parse_state(found[0]->value) : State{};
    alien = !state;
    if (alien) return false;
    change(*state, found[1] ? found[1]->modified : 0, txn);
    txn.put(keys_.state(), state->text(), lease_of(*state, prefix_));
    return true;
  };
  const Status done =
      transactions_.change({keys_.state(), keys_.last()}, "the lock's state cannot be changed",
                           transactions_.give_up(), put_changed);
  return alien ? alien_key(keys_.state()) : done;
}

Status LockState::set_drained(std::uint32_t slot, bool drained) {
  if (slot > kMaxSlots) return error_of(Code::usage, 0, "no such slot: at most 262144");
  return change([&](State& state, std::uint64_t, Txn&) {
    std::vector<std::uint32_t>& slots = state.drained_slots;
    if (slot == 0) {
      state.drained = drained;
      if (!drained) slots.clear();
      return;
    }
    const auto at = std::lower_bound(slots.begin(), slots.end(), slot);
    const bool was = at != slots.end() && *at == slot;
    if (drained && !was) slots.insert(at, slot);
    if (!drained && was) slots.erase(at);
  });
}

Status LockState::forget() {
  return change([&](State& state, std::uint64_t last, Txn& txn) {
    for (const char* of : {"cool/", "ever/"}) {
      const std::string intervals = keys_.admission() + of;
      txn.erase(intervals, end_of_prefix(intervals));
    }
    txn.erase(keys_.rate()).erase(keys_.finish()).erase(keys_.success()).erase(keys_.runs());
    state.forgotten = last;
    state.failures = 0;
  });
}

Result<std::uint32_t> LockState::count_refusal() {
  std::uint32_t count = 0;
  const Status changed = change([&](State& state, std::uint64_t last, Txn&) {
    rule::State kept = rule_state(state, last);
    count = rule::count_refusal(kept);
    state.refusals = kept.refusals;
    state.refused_since = last;
  });
  if (!changed.ok()) return changed.error();
  return count;
}

Result<std::uint32_t> LockState::count_end(bool failed) {
  std::uint32_t count = 0;
  const Status changed = change([&](State& state, std::uint64_t last, Txn&) {
    rule::State kept = rule_state(state, last);
    count = rule::count_end(kept, failed);
    state.failures = kept.failures;
  });
  if (!changed.ok()) return changed.error();
  return count;
}

}  // namespace atmost::etcd
