#include "user.h"

#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>

#include "job.h"
#include "os/host.h"
#include "say.h"

namespace atmost::pass {

Status find_user(const std::string& name, User& to) {
  errno = 0;
  const passwd* entry = getpwnam(name.c_str());
  if (entry == nullptr)
    return error_of(Code::not_permitted, errno, "user " + name + " is not known here");
  to = {entry->pw_name, entry->pw_dir, entry->pw_shell, entry->pw_uid, entry->pw_gid};
  if (geteuid() == 0 || is_ours(to)) return {};
  return error_of(Code::not_permitted, EPERM, "only root can run it as user " + name);
}

bool is_ours(const User& user) { return geteuid() == user.uid && getuid() == user.uid; }

void set_variables(const User& user) {
  setenv("USER", user.name.c_str(), 1);
  setenv("LOGNAME", user.name.c_str(), 1);
  setenv("HOME", user.home.c_str(), 1);
  setenv("SHELL", user.shell.empty() ? "/bin/sh" : user.shell.c_str(), 1);
}

std::string own_path() { return std::string(program_directory().view()) + "/atmost-pass"; }

int become_user(char** argv) {
  const auto refuse = [](const std::string& what, int error) {
    complain(what + ": " + strerror(error));
    return static_cast<int>(error == ENOENT ? Code::not_found : Code::not_executable);
  };
  if (argv[0] == nullptr || argv[1] == nullptr || argv[2] == nullptr)
    return static_cast<int>(Code::usage);
  User user;
  if (const Status found = find_user(argv[0], user); !found.ok()) {
    complain(found.error().message.view());
    return static_cast<int>(Code::not_executable);
  }
  if (initgroups(user.name.c_str(), user.gid) != 0 || setgid(user.gid) != 0 ||
      setuid(user.uid) != 0) {
    return refuse("cannot become user " + user.name, errno);
  }
  const char* directory = argv[1];
  if (directory[0] != '\0' && chdir(directory) != 0) {
    refuse(directory, errno);
    return static_cast<int>(Code::not_executable);
  }
  execvp(argv[2], argv + 2);
  return refuse(argv[2], errno);
}

}  // namespace atmost::pass
