#include "injector.h"

#include "os/calls.h"

namespace atmost::fault {
namespace {

using os::kRealCalls;

unsigned left = 0;
Fault chosen;
bool reached = false;
const char* reached_call = "";

bool strikes(const char* name) {
  if (reached) return chosen.for_good;
  if (--left > 0) return false;
  reached = true;
  reached_call = name;
  return true;
}

// A call that fails as a whole; where nothing is to fail it goes through.
bool refused(const char* name) {
  if (!strikes(name) || chosen.error == 0) return false;
  errno = chosen.error;
  return true;
}

// A call that moves `size` bytes: it fails, or moves fewer.
bool cut(const char* name, std::size_t& size) {
  if (!strikes(name)) return false;
  errno = chosen.error;
  if (chosen.error == 0 && size > 1) size /= 2;
  return chosen.error != 0;
}

}  // namespace

Injector::Injector(unsigned nth, Fault fault) {
  left = nth;
  chosen = fault;
  reached = false;
  reached_call = "";
  os::Calls& calls = os::calls;
  calls.openat = [](int dir, const char* path, int flags, mode_t mode) {
    return refused("openat") ? -1 : kRealCalls.openat(dir, path, flags, mode);
  };
  calls.pread = [](int fd, void* to, std::size_t size, off_t at) {
    return cut("pread", size) ? ssize_t{-1} : kRealCalls.pread(fd, to, size, at);
  };
  calls.pwrite = [](int fd, const void* from, std::size_t size, off_t at) {
    return cut("pwrite", size) ? ssize_t{-1} : kRealCalls.pwrite(fd, from, size, at);
  };
  calls.read = [](int fd, void* to, std::size_t size) {
    return refused("read") ? ssize_t{-1} : kRealCalls.read(fd, to, size);
  };
  calls.lock = [](int fd, int command, struct flock* range) {
    return refused("lock") ? -1 : kRealCalls.lock(fd, command, range);
  };
  calls.control = [](int fd, int command, long argument) {
    return refused("control") ? -1 : kRealCalls.control(fd, command, argument);
  };
  calls.fstat = [](int fd, struct stat* to) {
    return refused("fstat") ? -1 : kRealCalls.fstat(fd, to);
  };
  calls.stat = [](const char* path, struct stat* to) {
    return refused("stat") ? -1 : kRealCalls.stat(path, to);
  };
  calls.lstat = [](const char* path, struct stat* to) {
    return refused("lstat") ? -1 : kRealCalls.lstat(path, to);
  };
  calls.status = [](int dir, const char* path, struct stat* to) {
    return refused(*path == '\0' ? "fstat" : "lstat") ? -1 : kRealCalls.status(dir, path, to);
  };
  calls.fchmod = [](int fd, mode_t mode) {
    return refused("fchmod") ? -1 : kRealCalls.fchmod(fd, mode);
  };
  calls.filesystem_magic = [](int fd) {
    return refused("statfs") ? -1L : kRealCalls.filesystem_magic(fd);
  };
  calls.poll = [](struct pollfd* fds, unsigned count, int timeout) {
    return refused("poll") ? -1 : kRealCalls.poll(fds, count, timeout);
  };
  calls.inotify_init = [](int flags) {
    return refused("inotify_init") ? -1 : kRealCalls.inotify_init(flags);
  };
  calls.inotify_add_watch = [](int fd, const char* path, unsigned mask) {
    return refused("inotify_add_watch") ? -1 : kRealCalls.inotify_add_watch(fd, path, mask);
  };
  calls.mmap = [](void* at, std::size_t size, int protection, int flags, int fd, off_t offset) {
    return refused("mmap") ? reinterpret_cast<void*>(-1)
                           : kRealCalls.mmap(at, size, protection, flags, fd, offset);
  };
  calls.set_robust_list = [](void* head, std::size_t size) {
    return refused("set_robust_list") ? -1 : kRealCalls.set_robust_list(head, size);
  };
}

Injector::~Injector() { os::calls = kRealCalls; }

bool Injector::fired() { return reached; }

const char* Injector::call() { return reached_call; }

}  // namespace atmost::fault
