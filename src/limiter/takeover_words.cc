#include "takeover_words.h"

#include "os/accounts.h"
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

Error left_words(std::string_view name, std::int64_t pid, bool refused) {
  Error left = error_of(Code::busy, 0, name);
  left.message.append(name.empty() ? "" : ": ");
  os::ProcessLabel label;
  if (pid == 0) {
    left.message.append("a process that is not visible from here");
  } else {
    left.message.append("process ").append_signed(pid);
    if (os::process_label(pid, label)) {
      left.message.append(" (").append(label.name).append(") of ");
      const os::AccountName owner = os::user_account(label.user);
      owner.empty() ? left.message.append("user ").append_unsigned(label.user)
                    : left.message.append(owner);
    }
  }
  left.message.append(refused ? " may not be signalled from here"
                              : " has not ended, even by SIGKILL");
  left.message.append(", so the slot stays held until it ends");
  if (refused) {
    left.message.append(": its user or root can end it (kill ").append_signed(pid).push(')');
  } else if (pid != 0) {
    left.message.append(": look at it (ps -o stat,wchan ").append_signed(pid).push(')');
  }
  return left;
}

Error unproven_words(const LockSpec& lock, std::uint32_t slot, const SignalResult& found) {
  Error error = error_of(Code::not_permitted, 0, lock.name);
  if (found.read_locked) {
    error.message.append(": slot ").append_unsigned(slot).append(" is not held: ");
    if (found.pid > 0) {
      error.message.append("process ").append_signed(found.pid);
    } else {
      error.message.append("an unknown process (atmost explain shows which)");
    }
    error.message.append(
        " has a read lock on it, as any reader of the file can, and is not stopped");
    return error;
  }
  error.message.append(": the holder of slot ").append_unsigned(slot);
  if (found.pid > 0) error.message.append(" (process ").append_signed(found.pid).append(")");
  error.message.push(' ');
  error.message.append(
      found.ancestor ? "is this process or an ancestor of it, which is never stopped"
      : found.handed_over
          ? "cannot be proven: others may write the lock file and may have handed it the "
            "descriptor, so it is not stopped; its user or the administrator can end it"
          : "cannot be proven from here (another user or pid namespace, or a build without /proc), "
            "so it is not stopped; stop it there, or run this as its user");
  return error;
}

}  // namespace atmost::limiter
