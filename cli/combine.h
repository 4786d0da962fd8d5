// How options fit together: combinations that make no sense are refused, defaults that depend on
// others are set.
#ifndef ATMOST_CLI_COMBINE_H
#define ATMOST_CLI_COMBINE_H

#include "invocation.h"

namespace atmost::cli {

// Errors are usage errors that name the options and say why. Afterwards the request is complete but
// for its places.
Status combine(Invocation& invocation);

// Something the user may want to know that stops nothing; empty when there is nothing.
std::string_view doubtful(const Invocation& invocation);

}  // namespace atmost::cli

#endif
