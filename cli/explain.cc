// atmost explain
#include "core/limiter.h"
#include "output.h"
#include "subcommands.h"

namespace atmost::cli {

int explain_command(Invocation& it) {
  Status done = take_lock(it, false);
  if (done.ok()) done = explain(it.request.locks[0], 1);
  if (done.ok()) return 0;
  complain(done.error());
  return static_cast<int>(done.error().code);
}

}  // namespace atmost::cli
