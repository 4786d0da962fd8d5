// What a stopped holder has left running, in words.
#ifndef ATMOST_LIMITER_SURVIVORS_H
#define ATMOST_LIMITER_SURVIVORS_H

#include <cstdint>

#include "atmost/request.h"
#include "atmost/result.h"

namespace atmost::limiter {

// So many of them are named.
inline constexpr std::uint32_t kNamedSurvivors = 5;

// The warning that `count` processes are left; `pids` are the first of them, as many as there are, kNamedSurvivors at most.
Error survivors_words(const LockSpec& lock, const std::int64_t* pids, std::uint32_t count);

}  // namespace atmost::limiter

#endif
