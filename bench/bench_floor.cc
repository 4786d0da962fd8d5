// The least that a wrapper can do, the first two without any lock: the lower bound for every
// wrapper on this machine.
//
//   bench_floor exec COMMAND...       becomes the command
//   bench_floor wait COMMAND...       starts it as atmost does (vfork), and ends with its code
//   bench_floor lock FILE COMMAND...  waits for the file's lock, and becomes the command
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kUsage = 64;
constexpr int kNotFound = 127;

// The descriptor stays open in the command.
bool lock(const char* file) {
  const int fd = open(file, O_RDWR | O_CREAT, 0600);
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  return fd >= 0 && fcntl(fd, F_OFD_SETLKW, &whole) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return kUsage;
  if (argv[1][0] == 'l') {
    if (argc < 4 || !lock(argv[2])) return kUsage;
    execv(argv[3], argv + 3);
    return kNotFound;
  }
  const bool stays = argv[1][0] == 'w';
  const pid_t child = stays ? vfork() : 0;
  if (child == 0) {
    execv(argv[2], argv + 2);
    _exit(kNotFound);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return kUsage;
  return WEXITSTATUS(status);
}
