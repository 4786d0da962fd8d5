// The names of users and groups, straight from the system's files: asking a directory service may
// block, and a static program cannot.
#ifndef ATMOST_OS_ACCOUNTS_H
#define ATMOST_OS_ACCOUNTS_H

#include <cstdint>

#include "core/text.h"

namespace atmost::os {

// The name of a user in /etc/passwd, of a group in /etc/group; empty when it has none there. The
// first line with the number counts, as in the C library. A name that is too long is cut, and
// truncated() is true.
using AccountName = Text<63>;
AccountName user_account(std::uint32_t user);
AccountName group_account(std::uint32_t group);

}  // namespace atmost::os

#endif
