// Slots that are kept for a process that is not their holder (atmost hold).
#ifndef ATMOST_STORE_LOCAL_KEEPERS_H
#define ATMOST_STORE_LOCAL_KEEPERS_H

#include <cstdint>

#include "core/request.h"
#include "core/result.h"

namespace atmost::local {

// Tells the keeper that was last admitted to the lock for process `kept_for` to let go, and returns
// when it has: true. False: nothing is kept for that process here. `kept_for_start_ns`: when that
// process started; 0: it has ended, and any of that number is meant. Only a keeper that is proven
// to hold the slot is told; another user's cannot be, unless by root (not_permitted). Blocks for at
// most ten seconds (busy).
Result<bool> let_go(const LockSpec& lock, std::int64_t kept_for, std::int64_t kept_for_start_ns);

}  // namespace atmost::local

#endif
