#include "../machine.h"

#include <unistd.h>

#include <cerrno>

namespace atmost::os {

bool has_raised_rights() { return getuid() != geteuid() || getgid() != getegid(); }

bool program_path(PathText&) {
  errno = ENOSYS;
  return false;
}

}  // namespace atmost::os
