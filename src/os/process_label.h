// A process's user and name, for messages. Not reliable enough for decisions.
#ifndef ATMOST_OS_PROCESS_LABEL_H
#define ATMOST_OS_PROCESS_LABEL_H

#include <cstdint>

#include "core/text.h"

namespace atmost::os {

struct ProcessLabel {
  std::uint32_t user = 0;
  Text<63> name;  // the process's own choice (comm, proc(5)): any bytes
};

// False when there is no such process, or none can be seen (no /proc).
bool process_label(std::int64_t pid, ProcessLabel& to);

}  // namespace atmost::os

#endif
