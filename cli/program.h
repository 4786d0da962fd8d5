// The program: finds the subcommand, reads its options, and runs it.
#ifndef ATMOST_CLI_PROGRAM_H
#define ATMOST_CLI_PROGRAM_H

#include "core/limiter.h"

namespace atmost::cli {

// Returns the exit code, or ends as the command ended. A command line for a store that another
// program serves becomes that program, with the same arguments, if `service` is null.
int run_program(int argc, char** argv, const StoreService* service);

}  // namespace atmost::cli

#endif
