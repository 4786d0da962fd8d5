#include "../standing.h"

#include <cerrno>

namespace atmost::os {

int standing_of(std::int64_t, Standing&) { return ENOSYS; }

int children_of(std::int64_t, std::span<std::int64_t>, std::size_t&) { return ENOSYS; }

int each_locked_file(std::int64_t, LockedFileVisitor&) { return ENOSYS; }

}  // namespace atmost::os
