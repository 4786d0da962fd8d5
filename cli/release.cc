// atmost release
#include "core/json_line.h"
#include "core/limiter.h"
#include "output.h"
#include "subcommands.h"

namespace atmost::cli {

int release_command(Invocation& invocation) {
  if (const Status placed = take_lock(invocation, false); !placed.ok()) {
    complain(placed.error());
    return static_cast<int>(placed.error().code);
  }
  const LockSpec& lock = invocation.request.locks[0];
  const std::int64_t pid = invocation.for_pid != 0 ? invocation.for_pid : caller_id();
  const Result<bool> released =
      release_for(*invocation.locks, lock, pid,
                  invocation.request.now_given ? invocation.request.now_real_ns : 0);
  if (!released.ok()) {
    complain(released.error());
    return static_cast<int>(released.error().code);
  }
  if (invocation.json) {
    Output to(1);
    char room[kJsonRoom];
    JsonLine line(room);
    line.text("lock", lock.name).signed_number("pid", pid);
    to.text(line.truth("released", released.value()).finish());
    if (const int code = finish(to)) return code;
  } else if (!released.value() && !invocation.quiet) {
    Text<400> words(lock.name);
    words.append(": nothing is held there for process ").append_signed(pid);
    complain(words.append(invocation.for_pid == 0 ? "; of another one: --for-pid PID" : ""));
  }
  return released.value() ? 0 : 1;
}

}  // namespace atmost::cli
