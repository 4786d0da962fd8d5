// One process: its number, when it began, and its psid: the user, group, parent and process group
// that lock_unlock gets from ps.
#ifndef ATMOST_STORE_SYMLINK_PROCESS_H
#define ATMOST_STORE_SYMLINK_PROCESS_H

#include <cstdint>
#include <string_view>

#include "core/result.h"
#include "core/text.h"
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

// The text that `LC_ALL=C ps -o user=` of procps 4 prints for an account (tried with 4.0.2, in a
// column that is not the last): its number when it has no name or one of 33 bytes or more; every
// byte outside of printable ASCII as "?"; and of more than 8 bytes, numbers too, the first 7 and a
// "+".
Text<8> ps_name(std::string_view name, std::uint32_t number);

// An error when the process cannot be seen, or when its user or group is called something that a
// shell would expand.
Result<Text<127>> psid_of(std::int64_t pid);

}  // namespace atmost::symlink

#endif
