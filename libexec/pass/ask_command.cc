#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "host_classes.h"
#include "os/clock.h"

namespace atmost::pass {
namespace {

constexpr std::int64_t kPatienceNs = 10'000'000'000;

// The status of the child, polled less and less often; -1 when the time is over.
int status_of(pid_t child) {
  const std::int64_t end = os::boot_ns() + kPatienceNs;
  for (std::int64_t pause_ns = 500'000;;
       pause_ns = std::min<std::int64_t>(2 * pause_ns, 20'000'000)) {
    int status = 0;
    const pid_t got = waitpid(child, &status, WNOHANG);
    if (got == child) return status;
    if (got < 0 && errno != EINTR) return 1;
    if (os::boot_ns() >= end) return -1;
    const timespec pause = {0, static_cast<long>(pause_ns)};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

bool ask_command(const std::string& group, const std::vector<std::string>& command,
                 const std::function<void(const std::string&)>& remark) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_addopen(&streams, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&streams, 1, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t own_group;
  posix_spawnattr_init(&own_group);
  posix_spawnattr_setflags(&own_group, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &streams, &own_group, argv.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  posix_spawnattr_destroy(&own_group);
  if (error != 0) {
    remark("the command of group " + group +
           " cannot be run, so the class is not set: " + command[0] + ": " + strerror(error));
    return false;
  }
  const int status = status_of(child);
  if (status >= 0) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  kill(-child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  remark("the command of group " + group + " was stopped after 10 s, so the class is not set");
  return false;
}

}  // namespace atmost::pass
