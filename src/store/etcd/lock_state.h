// Changes of a/state (keys.h), each safe against concurrent changes.
#ifndef ATMOST_STORE_ETCD_LOCK_STATE_H
#define ATMOST_STORE_ETCD_LOCK_STATE_H

#include <cstdint>
#include <functional>
#include <string>

#include "keys.h"
#include "records.h"
#include "rule/state.h"
#include "transactions.h"

namespace atmost::etcd {

// The lease of a/state: none while it has something that a user ordered, else the hint lease of the
// prefix.
std::int64_t lease_of(const State& state, const std::string& prefix);

// As the rule has it. `last`: the token of the last admission.
rule::State rule_state(const State& state, std::uint64_t last);

// A lock's state, without an admission. Each call blocks for at most the timeout of the gateway's
// Access.
class LockState {
 public:
  LockState(Gateway& gateway, const LockSpec& lock)
      : prefix_(gateway.access().prefix),
        transactions_(gateway),
        keys_(gateway.access().prefix, lock_of(lock)) {}

  // As Store and Session say (core/store.h, core/session.h).
  Status set_drained(std::uint32_t slot, bool drained);
  Status forget();
  Result<std::uint32_t> count_refusal();
  // As Session::count_end().
  Result<std::uint32_t> count_end(bool failed);

 private:
  Status change(const std::function<void(State&, std::uint64_t, Txn&)>& change);

  const std::string& prefix_;
  Transactions transactions_;
  Keys keys_;
};

}  // namespace atmost::etcd

#endif
