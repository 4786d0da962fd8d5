#include "lock_state.h"

#include <algorithm>

#include "hint_lease.h"
#include "words.h"

namespace atmost::etcd {
namespace {

// Contention is short: the state changes rarely.
constexpr int kTries = 32;

}  // namespace

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
template <class Change>
Status LockState::change(Change change) {
  const std::int64_t end = transactions_.give_up();
  Answer answer{Answer::Kind::unknown, "others change it all the time"};
  for (int i = 0; i < kTries; ++i) {
    Txn look;
    look.range(keys_.state()).range(keys_.last());
    Result<TxnReply> found = transactions_.read(look, end);
    if (!found.ok()) return found.error();
    const std::vector<KeyValue>& states = found.value().parts[0].keys;
    const std::vector<KeyValue>& last = found.value().parts[1].keys;
    std::optional<State> state = states.empty() ? State{} : parse_state(states[0].value);
    if (!state) return alien_key(keys_.state());
    Txn txn;
    txn.modified_at(keys_.state(), states.empty() ? 0 : states[0].modified);
    change(*state, last.empty() ? 0 : last[0].modified, txn);
    txn.put(keys_.state(), state->text(), lease_of(*state, prefix_));
    TxnReply reply;
    if (transactions_.write(txn, end, reply, answer) == Applied::yes) return {};
    if (answer.kind != Answer::Kind::good) break;
    answer = {Answer::Kind::unknown, "others change it all the time"};
  }
  return failure(answer, "the lock's state cannot be changed");
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
