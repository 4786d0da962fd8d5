// What the place of a lock depends on, for this process.
#ifndef ATMOST_CLI_PLACE_H
#define ATMOST_CLI_PLACE_H

#include "atmost/place.h"
#include "invocation.h"

namespace atmost::cli {

// The machine's name is kept in `host_room`.
Surroundings surroundings(const Invocation& invocation, Text<255>& host_room);

}  // namespace atmost::cli

#endif
