// atmost drain, atmost resume
#include "core/limiter.h"
#include "output.h"
#include "subcommands.h"

namespace atmost::cli {
namespace {

int set(Invocation& it, bool drained) {
  Status done = take_lock(it, false);
  if (done.ok()) done = it.locks->set_drained(it.request, it.slot, drained);
  if (!done.ok()) {
    complain(done.error());
    return static_cast<int>(done.error().code);
  }
  if (it.verbose) {
    Text<400> words(it.request.locks[0].name);
    if (it.slot != 0) words.append(": slot ").append_unsigned(it.slot);
    complain(words.append(drained ? ": drained" : ": admits again"));
  }
  return 0;
}

}  // namespace

int drain_command(Invocation& it) { return set(it, true); }

int resume_command(Invocation& it) { return set(it, false); }

}  // namespace atmost::cli
