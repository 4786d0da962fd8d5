// The psid of a process: the user, group, parent and process group that lock_unlock gets from ps.
#ifndef ATMOST_STORE_SYMLINK_PS_NAME_H
#define ATMOST_STORE_SYMLINK_PS_NAME_H

#include <cstdint>
#include <string_view>

#include "core/result.h"
#include "core/text.h"

namespace atmost::symlink {

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
