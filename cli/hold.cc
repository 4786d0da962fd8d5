// atmost hold, atmost release
#include <cerrno>

#include "core/json_line.h"
#include "core/limiter.h"
#include "output.h"
#include "place.h"
#include "report.h"
#include "subcommands.h"

namespace atmost::cli {

int hold_command(Invocation& invocation) {
  if (const Status placed = take_lock(invocation, false); !placed.ok())
    return fail(placed.error(), invocation, 1);
  if (const Status known =
          complete_hold(*invocation.locks, invocation.for_pid, run_arena(), invocation.request);
      !known.ok())
    return fail(known.error(), invocation, 1);
  Narrator narrator(invocation);
  Outcome outcome =
      hold_for(*invocation.locks, invocation.request, invocation.keeper_to, &narrator);
  narrator.done();
  if (int code = 0; outcome.error.sys == EREMOTE && goes_elsewhere(invocation, outcome, code))
    return code;
  report(outcome, invocation, 1);
  report_status(outcome, invocation, {});
  return exit_code(outcome, invocation);
}

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
