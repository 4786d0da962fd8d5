// The names of users and groups, straight from the system's files: asking a directory service may
// block, and a static program cannot.
#ifndef ATMOST_OS_ACCOUNTS_H
#define ATMOST_OS_ACCOUNTS_H

#include <cstdint>

#include "core/text.h"

namespace atmost::os {

// What /etc/passwd calls a user, /etc/group a group; empty when it does not name it. The first line
// with the number counts, as for the libc. A name longer than fits comes cut, and says so.
using AccountName = Text<63>;
AccountName user_account(std::uint32_t user);
AccountName group_account(std::uint32_t group);

}  // namespace atmost::os

#endif
