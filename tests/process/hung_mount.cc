// hung_mount DIR COMMAND [ARG]...: runs the command while DIR is a filesystem that never answers,
// as a network filesystem does whose server has died: requests are read and not answered, so that a
// caller sleeps, and not even SIGKILL wakes it. All happens in a mount namespace of its own, which
// ends with us, and so do the sleepers. Ends as the command ends; 125 if it cannot be done here
// (not root, no FUSE).
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

constexpr int kNotHere = 125;

bool mount_on(const char* directory, int device) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return false;
  const std::string options =
      "fd=" + std::to_string(device) + ",rootmode=40000,user_id=0,group_id=0";
  return mount("hung", directory, "fuse", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
}

// The one request that is answered: without it no caller can begin a request.
void answer_init(int device, const fuse_in_header& request) {
  fuse_init_out init = {};
  init.major = FUSE_KERNEL_VERSION;
  init.minor = 31;
  init.max_write = 4096;
  fuse_out_header header = {};
  header.len = sizeof header + sizeof init;
  header.unique = request.unique;
  iovec parts[] = {{&header, sizeof header}, {&init, sizeof init}};
  if (writev(device, parts, 2) < 0) std::perror("hung_mount: answering the first request");
}

int serve_while(pid_t command, int device) {
  static char request[1 << 17];
  for (;;) {
    int status = 0;
    if (waitpid(command, &status, WNOHANG) == command)
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    pollfd ready = {device, POLLIN, 0};
    if (poll(&ready, 1, 20) <= 0) continue;
    const ssize_t size = read(device, request, sizeof request);
    if (size < static_cast<ssize_t>(sizeof(fuse_in_header))) continue;
    fuse_in_header header;
    std::memcpy(&header, request, sizeof header);
    if (header.opcode == FUSE_INIT) answer_init(device, header);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 64;
  const int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (device < 0 || !mount_on(argv[1], device)) {
    std::fprintf(stderr, "hung_mount: %s\n", std::strerror(errno));
    return kNotHere;
  }
  const pid_t command = fork();
  if (command == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  return serve_while(command, device);
}
