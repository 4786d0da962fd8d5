// The plain way to keep at most N at a time with byte locks, as the original exectimes describes
// it: take the lock on the first eight bytes, ask about every slot up to the highest in use, count,
// take the first free one, unlock the eight bytes, become the command. It is the baseline for
// scale. In tests it is the other program on the same file.
//
//   plain_scan FILE N COMMAND [ARG]...     exits 1 with a message when N are held
//   plain_scan FILE list                   one line for every held slot
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr off_t kIndexSize = 8;  // also the byte of slot 1

int lock_bytes(int fd, short type, off_t start, off_t length, bool wait) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;
  int result = 0;
  do {
    result = fcntl(fd, wait ? F_SETLKW : F_SETLK, &lock);
  } while (result != 0 && errno == EINTR);
  return result;
}

struct Scan {
  uint64_t held = 0;
  uint64_t first_free = 0;  // 0: none
  uint64_t last_used = 0;
};

// One query for every slot up to one behind the index.
bool scan(int fd, uint64_t index, bool show, Scan* to) {
  for (uint64_t byte = kIndexSize; byte <= index + 1; ++byte) {
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(byte);
    lock.l_len = 1;
    if (fcntl(fd, F_GETLK, &lock) != 0) return false;
    if (lock.l_type == F_UNLCK) {
      if (to->first_free == 0) to->first_free = byte;
      continue;
    }
    ++to->held;
    to->last_used = byte;
    if (show)
      printf("slot %lu pid %d\n", static_cast<unsigned long>(byte - kIndexSize + 1), lock.l_pid);
  }
  return true;
}

int broken(const char* what) {
  fprintf(stderr, "plain_scan: %s: %s\n", what, strerror(errno));
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fputs("plain_scan: FILE N COMMAND [ARG]... or FILE list\n", stderr);
    return 2;
  }
  const bool list = strcmp(argv[2], "list") == 0;
  const int fd = open(argv[1], O_RDWR | O_CREAT, 0666);
  if (fd < 0) return broken(argv[1]);
  if (lock_bytes(fd, F_WRLCK, 0, kIndexSize, true) != 0) return broken("index lock");

  uint64_t index = 0;
  const ssize_t got = pread(fd, &index, sizeof index, 0);
  if (got < 0) return broken("index");
  if (got < kIndexSize)
    index = kIndexSize;  // a new file; an index of 0 in the file is used, as the original does
  Scan seen;
  if (!scan(fd, index, list, &seen)) return broken("slots");
  if (list) return 0;

  if (argc < 4 || seen.held >= strtoull(argv[2], nullptr, 10) || seen.first_free == 0) {
    fprintf(stderr, "plain_scan: %lu are held\n", static_cast<unsigned long>(seen.held));
    return 1;
  }
  if (lock_bytes(fd, F_WRLCK, static_cast<off_t>(seen.first_free), 1, false) != 0)
    return broken("slot");
  if (seen.first_free > seen.last_used) seen.last_used = seen.first_free;
  if (seen.last_used != index && pwrite(fd, &seen.last_used, sizeof index, 0) != kIndexSize)
    return broken("index");
  if (lock_bytes(fd, F_UNLCK, 0, kIndexSize, false) != 0) return broken("index unlock");
  execvp(argv[3], argv + 3);
  return broken(argv[3]);
}
