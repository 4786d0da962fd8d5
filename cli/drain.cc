// atmost drain, atmost resume
#include "core/limiter.h"
#include "output.h"
#include "subcommands.h"

namespace atmost::cli {
namespace {

int set(Invocation& invocation, bool drained) {
  Status done = take_lock(invocation, false);
  if (done.ok()) done = invocation.locks->set_drained(invocation.request, invocation.slot, drained);
  if (!done.ok()) {
    complain(done.error());
    return static_cast<int>(done.error().code);
  }
  if (invocation.verbose) {
    Text<400> words(invocation.request.locks[0].name);
    if (invocation.slot != 0) words.append(": slot ").append_unsigned(invocation.slot);
    complain(words.append(drained ? ": drained" : ": admits again"));
  }
  return 0;
}

}  // namespace

int drain_command(Invocation& invocation) { return set(invocation, true); }

int resume_command(Invocation& invocation) { return set(invocation, false); }

}  // namespace atmost::cli
