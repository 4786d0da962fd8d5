// Holders that do not behave as any program of ours would.
//
//   traps_strange_holder silent FILE      takes slot 1 with a POSIX lock and has a child that keeps
//   the descriptor,
//                                         so that its end raises no event on the file; one byte on
//                                         standard output when it holds; is to be killed, its child
//                                         ends with standard input
//   traps_strange_holder guard FILE       takes the guard with a POSIX lock, one byte on standard
//   output, stops traps_strange_holder ofd-guard FILE   the same with a lock of the open file
//   description
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

namespace {

bool lock(int fd, int command, off_t start, off_t length) {
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = start;
  range.l_len = length;
  return fcntl(fd, command, &range) == 0;
}

int silent(int fd) {
  const uint64_t index = 8;
  char byte = 0;
  if (pwrite(fd, &index, sizeof index, 0) != sizeof index || !lock(fd, F_SETLKW, 8, 1)) return 1;
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    alarm(120);
    while (read(0, &byte, 1) > 0) {
    }
    _exit(0);
  }
  if (write(1, ".", 1) != 1) return 1;
  pause();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 64;
  alarm(120);
  const int fd = open(argv[2], O_RDWR | O_CREAT, 0600);
  if (fd < 0) return 1;
  if (strcmp(argv[1], "silent") == 0) return silent(fd);
  const bool description = strcmp(argv[1], "ofd-guard") == 0;
  if (!lock(fd, description ? F_OFD_SETLKW : F_SETLKW, 0, 8)) return 1;
  if (write(1, ".", 1) != 1) return 1;
  raise(SIGSTOP);
  return 0;
}
