// The least that a wrapper can do, without any lock: the lower bound for every wrapper on this
// machine.
//
//   bench_floor exec COMMAND...    becomes the command
//   bench_floor wait COMMAND...    starts it as atmost does (vfork), waits and ends with its code
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kUsage = 64;
constexpr int kNotFound = 127;

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return kUsage;
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
