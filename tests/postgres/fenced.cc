// A resource that minds tokens, and a command that uses it: fenced RESOURCE LOG TIMES. Each time it
// looks at the largest token that the resource has seen; with a smaller one it is refused. Every
// visit is a line of LOG, and a lock of the resource puts them in order: WORD TOKEN GROUP
// NANOSECONDS, where WORD is begin, ok, stale or end.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

namespace {

long long now_ns() {
  timespec now = {};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void visit(int resource, int log, const char* word, unsigned long long token) {
  flock(resource, LOCK_EX);
  unsigned long long largest = 0;
  if (pread(resource, &largest, sizeof largest, 0) != sizeof largest) largest = 0;
  if (token < largest) {
    word = "stale";
  } else if (pwrite(resource, &token, sizeof token, 0) != sizeof token) {
    _exit(1);
  }
  char line[128];
  const int size =
      snprintf(line, sizeof line, "%s %llu %d %lld\n", word, token, getpgrp(), now_ns());
  if (write(log, line, static_cast<size_t>(size)) != size) _exit(1);
  flock(resource, LOCK_UN);
}

}  // namespace

int main(int argc, char** argv) {
  const char* given = getenv("ATMOST_TOKEN");
  if (argc != 4 || given == nullptr) return 64;
  const unsigned long long token = strtoull(given, nullptr, 10);
  const int resource = open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const int log = open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (resource < 0 || log < 0) return 74;
  visit(resource, log, "begin", token);
  for (int i = atoi(argv[3]); i > 0; --i) {
    usleep(10000);
    visit(resource, log, "ok", token);
  }
  visit(resource, log, "end", token);
  return 0;
}
