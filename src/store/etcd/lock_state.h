// Changes of a/state (keys.h), each safe against concurrent changes.
#ifndef ATMOST_STORE_ETCD_LOCK_STATE_H
#define ATMOST_STORE_ETCD_LOCK_STATE_H

#include <cstdint>
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

// A lock's state, without an admission. The call blocks for at most the timeout of the gateway's
// Access.
class LockState {
 public:
  LockState(Gateway& gateway, const LockSpec& lock)
      : prefix_(gateway.access().prefix),
        transactions_(gateway),
        keys_(gateway.access().prefix, lock_of(lock)) {}

  Result<Edited> edit(const Edit& what);

 private:
  std::uint32_t change(const Edit& what, State& state, std::uint64_t last, Txn& txn) const;

  const std::string& prefix_;
  Transactions transactions_;
  Keys keys_;
};

}  // namespace atmost::etcd

#endif
