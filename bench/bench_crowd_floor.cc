// The least that a program can do beside the holders of a lock file: the floor for admission and
// refusal. It has no limit, no guard and no record, and proves nothing.
//
//   bench_crowd_floor admit FILE SLOT COMMAND [ARG]...   locks the slot on a description that the
//                             command inherits, starts it, waits, unlocks and ends with its code
//   bench_crowd_floor refuse FILE SLOT                   tests if the slot is held, ends with 75
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr off_t kFirstSlotByte = 8;

int call(int fd, int command, short type, off_t byte) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return fcntl(fd, command, &lock);
}

int start(void* argv) {
  char** const words = static_cast<char**>(argv);
  execv(words[0], words);
  _exit(127);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 64;
  const bool admits = argv[1][0] == 'a' && argc > 4;
  const int fd = open(argv[2], O_RDWR);
  const off_t byte = kFirstSlotByte + atol(argv[3]) - 1;
  if (fd < 0) return 66;
  if (call(fd, admits ? F_OFD_SETLK : F_OFD_GETLK, F_WRLCK, byte) != 0 || !admits) return 75;
  static char stack[8192] __attribute__((aligned(16)));
  const pid_t child =
      clone(start, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, argv + 4);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 71;
  call(fd, F_OFD_SETLK, F_UNLCK, byte);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 70;
}
