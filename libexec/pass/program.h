// The program `atmost pass`.
#ifndef ATMOST_LIBEXEC_PASS_PROGRAM_H
#define ATMOST_LIBEXEC_PASS_PROGRAM_H

#include "core/limiter.h"

namespace atmost::pass {

// For a store that another program serves it becomes that program, with the same arguments, if
// `service` is null. Returns the exit code, or ends by a signal.
int run_program(int argc, char** argv, const StoreService* service);

}  // namespace atmost::pass

#endif
