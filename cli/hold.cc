// atmost hold
#include <cerrno>

#include "core/limiter.h"
#include "report.h"
#include "shared_place.h"
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

}  // namespace atmost::cli
