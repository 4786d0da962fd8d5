// A wall clock that is wrong: preloaded into a C or C++ program (LD_PRELOAD), it adds the seconds
// that stand in the file $WALL_CLOCK to the time of day, whichever way the program asks. The file
// is mapped, so the test moves the clock of all processes that use it at one moment, while they
// run. Clocks that count from the boot stay right.
//
// libfaketime does less here: atmost asks the kernel by syscall(2), which libfaketime 0.9.10 does
// not stand before.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace {

using Call = long (*)(long, ...);

Call kernel() {
  static Call next = nullptr;
  if (next == nullptr) next = reinterpret_cast<Call>(dlsym(RTLD_NEXT, "syscall"));
  return next;
}

long shift() {
  static const volatile long* shared = nullptr;
  if (shared == nullptr) {
    const char* path = getenv("WALL_CLOCK");
    const int saved = errno;
    const int fd = path != nullptr ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void* page = fd >= 0 ? mmap(nullptr, sizeof(long), PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (page == MAP_FAILED) abort();  // a right clock would test nothing
    close(fd);
    errno = saved;
    shared = static_cast<const volatile long*>(page);
  }
  return *shared;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* to) noexcept {
  const long code = kernel()(SYS_clock_gettime, clock, to);
  if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    to->tv_sec += shift();
  return static_cast<int>(code);
}

int gettimeofday(timeval* __restrict to, void* __restrict) noexcept {
  timespec now = {};
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  to->tv_sec = now.tv_sec;
  to->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* to) noexcept {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  if (to != nullptr) *to = now.tv_sec;
  return now.tv_sec;
}

long syscall(long number, ...) noexcept {
  va_list rest;
  va_start(rest, number);
  long given[6];
  for (long& one : given) one = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_clock_gettime) {
    return clock_gettime(static_cast<clockid_t>(given[0]), reinterpret_cast<timespec*>(given[1]));
  }
  return kernel()(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
}
