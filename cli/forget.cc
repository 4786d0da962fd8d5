// atmost forget
#include "core/limiter.h"
#include "output.h"
#include "subcommands.h"
#include "unknown_lock.h"

namespace atmost::cli {

int forget_command(Invocation& invocation) {
  Status done = take_lock(invocation, false);
  if (done.ok()) warn_if_unknown(invocation, invocation.request.locks[0]);
  if (done.ok()) done = invocation.locks->forget(invocation.request);
  if (done.ok()) return 0;
  complain(done.error());
  return static_cast<int>(done.error().code);
}

}  // namespace atmost::cli
