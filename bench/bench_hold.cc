// Holds on until standard input ends.
//
//   bench_hold                       reports it by one byte on standard output: the command of a
//   supervised holder bench_hold FILE FIRST COUNT      COUNT processes, each with a POSIX lock on
//   one of the slots FIRST, FIRST + 1, …
//                                    of FILE, each reporting it by one byte: holders outside of
//                                    atmost
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void stay() {
  char byte = 1;
  if (write(1, &byte, 1) != 1) _exit(1);
  while (read(0, &byte, 1) > 0) {
  }
}

bool lock(int fd, off_t start, off_t length) {
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = start;
  range.l_len = length;
  return fcntl(fd, F_SETLKW, &range) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    stay();
    return 0;
  }
  const off_t first = atoll(argv[2]);
  const off_t count = atoll(argv[3]);
  const int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
  const auto index = static_cast<uint64_t>(7 + first + count - 1);
  if (fd < 0 || !lock(fd, 0, 8) || pwrite(fd, &index, sizeof index, 0) != sizeof index) return 1;
  for (off_t i = 0; i < count; ++i) {
    const pid_t pid = fork();
    if (pid < 0) return 1;
    if (pid != 0) continue;
    if (!lock(fd, 7 + first + i, 1)) _exit(1);
    stay();
    _exit(0);
  }
  close(fd);  // lets the index go
  int status = 0;
  while (wait(&status) > 0) {
  }
  return 0;
}
