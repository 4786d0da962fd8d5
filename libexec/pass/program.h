// The program `atmost pass`.
#ifndef ATMOST_LIBEXEC_PASS_PROGRAM_H
#define ATMOST_LIBEXEC_PASS_PROGRAM_H

#include "core/limiter.h"

namespace atmost::pass {

// argv[1] … are the arguments of atmost pass. For a store that another program serves it becomes
// that program (libexec/fleet), with the same arguments behind kPass, if `service` is null. Returns
// the exit code, or ends by a signal.
int run_program(int argc, char** argv, const StoreService* service);
inline constexpr const char* kPass = "pass";

}  // namespace atmost::pass

#endif
