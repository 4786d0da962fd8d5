// wait(2)'s status as a value.
#ifndef ATMOST_RUN_STATUS_H
#define ATMOST_RUN_STATUS_H

#include <cstdint>

#include "core/outcome.h"

namespace atmost::run {

enum class Change : std::uint8_t { ended, stopped, continued };

Change change_of(int wait_status);
// REQUIRES: change_of(wait_status) is ended.
ExitStatus exit_status(int wait_status);
// REQUIRES: change_of(wait_status) is stopped.
int stop_signal(int wait_status);

}  // namespace atmost::run

#endif
