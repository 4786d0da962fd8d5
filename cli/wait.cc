// atmost wait
#include "core/limiter.h"
#include "report.h"
#include "subcommands.h"

namespace atmost::cli {

int wait_command(Invocation& it) {
  if (const Status placed = take_lock(it, false); !placed.ok()) return fail(placed.error(), it, 1);
  Narrator narrator(it);
  const Outcome outcome = wait_for_room(*it.locks, it.request, &narrator);
  report(outcome, it, 1);
  report_status(outcome, it, {});
  return exit_code(outcome, it);
}

}  // namespace atmost::cli
