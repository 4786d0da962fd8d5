// atmost hold
#include "core/limiter.h"
#include "report.h"
#include "subcommands.h"

namespace atmost::cli {

int hold_command(Invocation& it) {
  if (const Status placed = take_lock(it, false); !placed.ok()) return fail(placed.error(), it, 1);
  if (const Status known = complete_hold(*it.locks, it.for_pid, it.request); !known.ok())
    return fail(known.error(), it, 1);
  Narrator narrator(it);
  const Outcome outcome = hold_for(*it.locks, it.request, it.keeper_to, &narrator);
  report(outcome, it, 1);
  report_status(outcome, it, {});
  return exit_code(outcome, it);
}

}  // namespace atmost::cli
