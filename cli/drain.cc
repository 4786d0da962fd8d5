// atmost drain, atmost resume, atmost forget
#include "core/limiter.h"
#include "output.h"
#include "subcommands.h"
#include "unknown_lock.h"

namespace atmost::cli {
namespace {

// A drain of a misspelt lock would leave the meant one open, so a new lock needs --create.
Status examine(const Invocation& invocation, bool drained) {
  const LockSpec& lock = invocation.request.locks[0];
  if (!drained) {
    warn_if_unknown(invocation, lock);
    return {};
  }
  if (invocation.create) return {};
  Status known = require_lock(invocation, lock, false);
  if (known.ok()) return known;
  Error error = known.error();
  error.message.append(error.message.view().ends_with('?') ? " " : "; ");
  error.message.append("--create drains a lock before its first use");
  return error;
}

int set(Invocation& invocation, bool drained) {
  Status done = take_lock(invocation, false);
  if (done.ok()) done = examine(invocation, drained);
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

int forget_command(Invocation& invocation) {
  Status done = take_lock(invocation, false);
  if (done.ok()) warn_if_unknown(invocation, invocation.request.locks[0]);
  if (done.ok()) done = invocation.locks->forget(invocation.request);
  if (done.ok()) return 0;
  complain(done.error());
  return static_cast<int>(done.error().code);
}

}  // namespace atmost::cli
