#include "../machine.h"

#include <unistd.h>

namespace atmost::os {

bool has_raised_rights() { return getuid() != geteuid() || getgid() != getegid(); }

bool program_path(PathText&) { return false; }

}  // namespace atmost::os
