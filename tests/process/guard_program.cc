// A program that takes a lock of the C library again and again, in its first thread, while another
// one forks: each child lives on and never calls exec.
// It holds each lock until there is one child more, unless it has a number of forks. Usage:
// guard_program LOCK [ROUNDS [MICROSECONDS]]
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "atmost/atmost.h"

namespace {

constexpr int kChildren = 12;
long fork_every_us = 500;
std::atomic<int> forked = 0;

void* fork_on(void*) {
  for (; forked < kChildren; ++forked) {
    if (fork() == 0) {
      for (;;) pause();
    }
    const struct timespec moment = {0, fork_every_us * 1000};
    nanosleep(&moment, nullptr);
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 2 ? atoi(argv[2]) : 3;
  const bool waits = argc <= 3;
  if (!waits) fork_every_us = atol(argv[3]);
  atmost_request* const request = atmost_new(argv[1]);
  (void)atmost_set_seconds(request, "wait", 60);
  atmost_lock* lock = nullptr;
  pthread_t other;
  if (pthread_create(&other, nullptr, fork_on, nullptr) != 0) return 1;
  for (int round = 0; round < rounds; ++round) {
    if (atmost_get(request, &lock) != ATMOST_ADMITTED) return 2;
    const int before = forked;  // one child at least that shares what is held now
    while (waits && forked == before && forked < kChildren) usleep(100);
    atmost_release(lock, 1);
  }
  return 0;
}
