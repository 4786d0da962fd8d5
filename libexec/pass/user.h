// Other users to run commands as.
#ifndef ATMOST_LIBEXEC_PASS_USER_H
#define ATMOST_LIBEXEC_PASS_USER_H

#include <sys/types.h>

#include <string>

#include "core/result.h"

namespace atmost::pass {

struct User {
  std::string name;
  std::string home;
  std::string shell;
  uid_t uid = 0;
  gid_t gid = 0;
};

// Asks the system's directory, which may block. An error unless the user exists and we may be it.
Status find_user(const std::string& name, User& to);

// True if we are that user already.
bool is_ours(const User& user);

// USER, LOGNAME, HOME and SHELL, as cron sets them.
void set_variables(const User& user);

// Where this program is, so that it can start itself.
std::string own_path();

}  // namespace atmost::pass

#endif
