// atmost forget
#include "core/limiter.h"
#include "output.h"
#include "subcommands.h"
#include "unknown_lock.h"

namespace atmost::cli {

int forget_command(Invocation& it) {
  Status done = take_lock(it, false);
  if (done.ok()) warn_if_unknown(it, it.request.locks[0]);
  if (done.ok()) done = it.locks->forget(it.request);
  if (done.ok()) return 0;
  complain(done.error());
  return static_cast<int>(done.error().code);
}

}  // namespace atmost::cli
