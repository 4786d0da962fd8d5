// An unused lock is not an error for most subcommands, but its name may be misspelt.
#ifndef ATMOST_CLI_UNKNOWN_LOCK_H
#define ATMOST_CLI_UNKNOWN_LOCK_H

#include "core/request.h"
#include "invocation.h"

namespace atmost::cli {

// True if the lock was never used. If so, reports it on standard error, unless quiet, with the name
// that may have been meant. False for a symbolic link, which exists only while it is held.
bool warn_if_unknown(const Invocation& invocation, const LockSpec& lock);

// The same as an error (66), for a subcommand that would answer as if all were well. `alike`: only
// if a lock exists whose name differs by one edit.
Status require_lock(const Invocation& invocation, const LockSpec& lock, bool alike);

}  // namespace atmost::cli

#endif
