// From an option's text to a field of the invocation.
#ifndef ATMOST_CLI_VALUES_H
#define ATMOST_CLI_VALUES_H

#include "options.h"

namespace atmost::cli {

// The error does not name the option.
Status store_value(Id id, std::string_view value, Invocation& to);

}  // namespace atmost::cli

#endif
