// The program: which subcommand, which options, and off it goes.
#ifndef ATMOST_CLI_PROGRAM_H
#define ATMOST_CLI_PROGRAM_H

#include <string_view>

#include "core/result.h"

namespace atmost::cli {

// Brings the store that the URL names (limiter.h, bring_store). Errors never repeat the URL.
using BringStore = Status (*)(std::string_view url);

// Returns the exit code, or ends as the command ended. A command line for a store that many
// machines share becomes atmost-fleet (for PostgreSQL: atmost-fleet-postgres), with the same
// arguments, if `bring` is null.
int run_program(int argc, char** argv, BringStore bring);

}  // namespace atmost::cli

#endif
