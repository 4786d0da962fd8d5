#include "takeover_bystander.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "takeover_namespace.h"
#include "witness_world.h"

namespace witness {

void become(unsigned user) {
  if (setgroups(0, nullptr) != 0 || setresgid(user, user, user) != 0 ||
      setresuid(user, user, user) != 0)
    _exit(92);
}

Line::Line() {
  if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends_) != 0) ends_[0] = ends_[1] = -1;
}

Line::~Line() {
  close(ends_[0]);
  close(ends_[1]);
}

void Line::give(int fd) const {
  char byte = 'x';
  struct iovec data = {&byte, 1};
  alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof fd)] = {};
  struct msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  struct cmsghdr* control = CMSG_FIRSTHDR(&message);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof fd);
  memcpy(CMSG_DATA(control), &fd, sizeof fd);
  if (sendmsg(ends_[0], &message, 0) != 1) _exit(91);
}

int Line::take() const {
  char byte;
  struct iovec data = {&byte, 1};
  alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  struct msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  if (recvmsg(ends_[1], &message, 0) != 1 || CMSG_FIRSTHDR(&message) == nullptr) _exit(90);
  int fd;
  memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
  return fd;
}

int open_lock(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) _exit(89);
  return fd;
}

void lock_byte(int fd, int command, std::int64_t byte) {
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(byte);
  range.l_len = 1;
  if (fcntl(fd, command, &range) != 0) _exit(88);
}

pid_t share_descriptors(const std::function<void()>& body) {
  alignas(16) static char stack[65536];
  const auto run = [](void* what) {
    (*static_cast<const std::function<void()>*>(what))();
    return 0;
  };
  return clone(run, stack + sizeof stack, CLONE_FILES | SIGCHLD,
               const_cast<void*>(static_cast<const void*>(&body)));
}

pid_t stay_with_number(pid_t number, const std::function<void()>& first) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return 0;
  struct clone_args args = {};
  args.exit_signal = SIGCHLD;
  args.set_tid = reinterpret_cast<std::uintptr_t>(&number);
  args.set_tid_size = 1;
  const auto pid = static_cast<pid_t>(syscall(SYS_clone3, &args, sizeof args));
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
  (void)!read(ready[0], &byte, 1);
  close(ready[0]);
  return pid > 0 ? pid : 0;
}

std::string harm_to(pid_t pid) {
  const char state = state_of(pid);
  if (!alive(pid)) return "it has ended";
  if (state == 'T') return "it is stopped";
  constexpr unsigned long kChildEnded = 1UL << (SIGCHLD - 1);
  const std::string status = text_of("/proc/" + std::to_string(pid) + "/status");
  for (const char* name : {"\nSigPnd:\t", "\nShdPnd:\t"}) {
    const auto at = status.find(name);
    if (at == std::string::npos) return "it cannot be seen";
    const unsigned long pending = std::stoul(status.substr(at + 9, 16), nullptr, 16);
    if ((pending & ~kChildEnded) != 0) return "signals to it: " + status.substr(at + 9, 16);
  }
  return {};
}

}  // namespace witness
