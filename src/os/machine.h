// The machine and the program's own place on it.
#ifndef ATMOST_OS_MACHINE_H
#define ATMOST_OS_MACHINE_H

#include <string_view>

#include "core/text.h"

namespace atmost::os {

// uname's node name; empty when there is none.
Text<255> host_name();
// The same, asked once and kept: for a process of our own with one thread. The view is valid until
// the process ends.
std::string_view kept_host_name();

// True if the kernel gave this process rights that its caller lacks (AT_SECURE; where there is
// none, real and effective ids that differ).
bool has_raised_rights();

// The file this program was started from; false, with errno, where the system does not say.
bool program_path(PathText& to);

}  // namespace atmost::os

#endif
