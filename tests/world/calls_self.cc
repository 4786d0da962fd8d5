// The process and its limits: getpid(2), getrlimit(2), uname(2), _exit(2).
#include <sys/resource.h>
#include <sys/utsname.h>

#include <cerrno>
#include <cstring>

#include "world/tables.h"

namespace world {
namespace {

pid_t getpid() {
  Call call("getpid");
  return call.process().pid;
}

pid_t thread_id() {
  Call call("gettid");
  return call.process().pid;
}

pid_t getppid() {
  Call call("getppid");
  const Process* const parent = call.process().parent;
  return parent == nullptr ? 1 : parent->pid;
}

uid_t geteuid() {
  Call call("geteuid");
  return kUser;
}

int getrlimit(int which, struct rlimit* to) {
  Call call("getrlimit");
  to->rlim_cur = which == RLIMIT_NOFILE ? 1024 : RLIM_INFINITY;
  to->rlim_max = RLIM_INFINITY;
  return 0;
}

char* getcwd(char* to, std::size_t size) {
  Call call("getcwd");
  constexpr char kDirectory[] = "/";
  if (size < sizeof kDirectory) {
    errno = ERANGE;
    return nullptr;
  }
  std::memcpy(to, kDirectory, sizeof kDirectory);
  return to;
}

int uname(struct utsname* to) {
  Call call("uname");
  *to = {};
  std::strcpy(to->sysname, "Linux");
  std::strcpy(to->nodename, "world");
  std::strcpy(to->release, "6.12.0");
  return 0;
}

void exit_process(int code) {
  Call call("exit");
  kernel->end(call.process(), (code & 0xff) << 8);
}

}  // namespace

void install_self(atmost::os::Calls& calls) {
  calls.getpid = getpid;
  calls.thread_id = thread_id;
  calls.getppid = getppid;
  calls.geteuid = geteuid;
  calls.getrlimit = getrlimit;
  calls.getcwd = getcwd;
  calls.uname = uname;
  calls.exit = exit_process;
}

}  // namespace world
