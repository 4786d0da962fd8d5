// The identity of one process: its number, and when it began.
#ifndef ATMOST_STORE_SYMLINK_PROCESS_IDENTITY_H
#define ATMOST_STORE_SYMLINK_PROCESS_IDENTITY_H

#include <cstdint>

#include "os/process.h"

namespace atmost::symlink {

struct ProcessIdentity {
  std::int64_t pid = 0;
  std::int64_t start_ns = 0;  // on the boot clock; 0: not known
  std::uint64_t boot = 0;     // os::boot_hash() of its boot; 0: not known
};

// `boot`: this boot's.
ProcessIdentity identity_of(std::int64_t pid, std::uint64_t boot);

// False only when it is certain that this very process has ended; a zombie has. `handle`, if any,
// is opened where there are such handles.
bool lives(const ProcessIdentity& identity, std::uint64_t boot, os::ProcessHandle* handle);

}  // namespace atmost::symlink

#endif
