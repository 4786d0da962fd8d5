#include "survivors.h"

#include "os/process_label.h"

namespace atmost::limiter {

Error survivors_words(const LockSpec& lock, const std::int64_t* pids, std::uint32_t count) {
  Error left = error_of(Code::busy, 0, lock.name);
  left.message.append(": its old holder has gone, but not all that it had started: process ");
  for (std::uint32_t i = 0; i < count && i < kNamedSurvivors; ++i) {
    os::ProcessLabel label;
    left.message.append(i > 0 ? ", " : "").append_signed(pids[i]);
    if (os::process_label(pids[i], label)) left.message.append(" (").append(label.name).append(")");
  }
  if (count > kNamedSurvivors) {
    left.message.append(" and ").append_unsigned(count - kNamedSurvivors).append(" more");
  }
  return left;
}

}  // namespace atmost::limiter
