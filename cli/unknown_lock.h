// An unused lock is not an error, but its name may be misspelt.
#ifndef ATMOST_CLI_UNKNOWN_LOCK_H
#define ATMOST_CLI_UNKNOWN_LOCK_H

#include "core/request.h"
#include "invocation.h"

namespace atmost::cli {

// Says on standard error, unless quiet, that the lock file does not exist, and which name of its
// directory may have been meant. Prints nothing for other stores, whose locks come and go.
void warn_if_unknown(const Invocation& invocation, const LockSpec& lock);

}  // namespace atmost::cli

#endif
