#include "takeover_namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "store/local/layout.h"
#include "takeover_records.h"

namespace witness {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

pid_t stay(const std::function<void()>& first) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return -1;
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    first();
    close(ready[0]);
    close(ready[1]);
    for (;;) pause();
  }
  close(ready[1]);
  char byte;
  while (read(ready[0], &byte, 1) < 0 && errno == EINTR) {
  }
  close(ready[0]);
  return pid;
}

bool lock_slot(int fd, int command, short type) {
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = atmost::local::slot_byte(1);
  range.l_len = 1;
  return fcntl(fd, command, &range) == 0;
}

void take_slot(const std::string& path, int command) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || !lock_slot(fd, command, F_WRLCK)) _exit(1);
}

std::string in_namespace(const std::function<void()>& before,
                         const std::function<std::string()>& body) {
  int result[2];
  if (pipe2(result, O_CLOEXEC) != 0) return "no pipe";
  const auto say = [&](const std::string& text) {
    (void)!write(result[1], text.data(), text.size());
    _exit(0);
  };
  const pid_t outer = fork();
  if (outer == 0) {
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) say(kNoNamespace);
    const pid_t first = fork();
    if (first == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const bool own = mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       mount("proc", "/proc", "proc", 0, nullptr) == 0;
      if (!own) say(kNoNamespace);
      const pid_t second = fork();
      if (second == 0) {
        before();
        const pid_t third = fork();
        if (third == 0) say(body());
        waitpid(third, nullptr, 0);
        _exit(0);
      }
      waitpid(second, nullptr, 0);
      _exit(0);
    }
    waitpid(first, nullptr, 0);
    _exit(0);
  }
  close(result[1]);
  std::string all;
  char buffer[512];
  for (ssize_t got; (got = read(result[0], buffer, sizeof buffer)) > 0;) {
    all.append(buffer, static_cast<std::size_t>(got));
  }
  close(result[0]);
  waitpid(outer, nullptr, 0);
  return all == "well" ? std::string{} : all.empty() ? "it died" : all;
}

}  // namespace witness
