// How options fit together: combinations that make no sense are refused, defaults that depend on
// others are set.
#ifndef ATMOST_CLI_COMBINE_H
#define ATMOST_CLI_COMBINE_H

#include "invocation.h"

namespace atmost::cli {

// Errors are usage errors that name the options and say why. Afterwards the request is complete
// except for its places.
Status combine(Invocation& invocation);

// The error of --ttl for a lock without a lease.
Error without_lease();

// A remark for the user that does not stop the run; empty when there is none.
std::string_view doubtful(const Invocation& invocation);

}  // namespace atmost::cli

#endif
