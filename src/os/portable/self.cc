#include "../self.h"

#include <unistd.h>

#include <cerrno>

#include "../calls.h"

namespace atmost::os {

std::uint64_t boot_hash(std::uint64_t, std::uint64_t) { return 0; }

const bool kShedsMemory = false;
void shed_memory() {}

bool has_raised_rights() { return getuid() != geteuid() || getgid() != getegid(); }

bool program_path(PathText&) {
  errno = ENOSYS;
  return false;
}

std::uint32_t processors() { return calls.processors(); }

}  // namespace atmost::os
