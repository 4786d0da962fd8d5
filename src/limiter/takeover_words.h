// A taker's messages about holders and about the processes that they leave running.
#ifndef ATMOST_LIMITER_TAKEOVER_WORDS_H
#define ATMOST_LIMITER_TAKEOVER_WORDS_H

#include <cstdint>

#include "core/request.h"
#include "core/result.h"
#include "core/store.h"

namespace atmost::limiter {

// At most this many surviving processes are named.
inline constexpr std::uint32_t kNamedSurvivors = 5;

// The warning that `count` processes are left; `pids` has the first of them, kNamedSurvivors at
// most.
Error survivors_words(const LockSpec& lock, const std::int64_t* pids, std::uint32_t count);

// The warning that a process which was to be stopped is still there and keeps the slot of the lock
// `name` (empty: not known). `pid` 0: it cannot be seen. `refused`: it may not be signalled.
Error left_words(std::string_view name, std::int64_t pid, bool refused);

// The reason for which the holder of slot `slot` is not stopped: `found` is unprovable, or an
// ancestor of this process. not_permitted.
Error unproven_words(const LockSpec& lock, std::uint32_t slot, const SignalResult& found);

}  // namespace atmost::limiter

#endif
