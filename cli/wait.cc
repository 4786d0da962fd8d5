// atmost wait
#include "core/limiter.h"
#include "report.h"
#include "subcommands.h"
#include "unknown_lock.h"

namespace atmost::cli {

int wait_command(Invocation& invocation) {
  if (const Status placed = take_lock(invocation, false); !placed.ok())
    return fail(placed.error(), invocation, 1);
  // A wait for a misspelt lock would return at once, as if the meant one had room.
  if (const Status known = require_lock(invocation, invocation.request.locks[0], true); !known.ok())
    return fail(known.error(), invocation, 1);
  Narrator narrator(invocation);
  const Outcome outcome = wait_for_room(*invocation.locks, invocation.request, &narrator);
  narrator.done();
  report(outcome, invocation, 1);
  report_status(outcome, invocation, {});
  return exit_code(outcome, invocation);
}

}  // namespace atmost::cli
