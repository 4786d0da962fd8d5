// Statistics of runs (core/stats.h) as bytes of a fleet's store. Hosts of either byte order and of
// older and newer versions may share a store: bytes of another form count as nothing.
#ifndef ATMOST_STORE_FLEET_STATS_BYTES_H
#define ATMOST_STORE_FLEET_STATS_BYTES_H

#include <string>
#include <string_view>

#include "core/stats.h"

namespace atmost::fleet {

std::string bytes_of(const LockStats& stats);
std::string bytes_of(const DirectoryStats& stats);

// All zero for bytes of another form. The values are checked by those who use them
// (policy/learn.h).
void read_bytes(std::string_view bytes, LockStats& stats);
void read_bytes(std::string_view bytes, DirectoryStats& stats);

}  // namespace atmost::fleet

#endif
