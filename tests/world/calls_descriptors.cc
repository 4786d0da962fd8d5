// fcntl(2), flock(2), and mappings: mmap(2).
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "world/tables.h"

namespace world {
namespace {

LockFile lock_file(const Description& of, int number) {
  const int access = of.flags & O_ACCMODE;
  return {number, access != O_WRONLY, access != O_RDONLY, of.offset, kernel->inode(of.inode).size};
}

// Blocks until the lock can be had, and takes it.
int take(Process& process, int file, const LockRequest& request) {
  const auto first = static_cast<long long>(request.lock.first);
  if (process.interrupted) return Call::fail(EINTR);
  while (kernel->inode(file).locks.refuses(request.lock)) {
    if (!request.waits) return Call::fail(EAGAIN);
    kernel->trace(process, "waits for the lock of %lld", first);
    if (kernel->sleep(process, LockWanted{file, request.lock}, kNever) == Slept::interrupted)
      return Call::fail(EINTR);
  }
  kernel->trace(process, "locks from %lld", first);
  kernel->lock(process, file, request.lock);
  return 0;
}

int lock(int fd, int command, struct flock* range) {
  const bool waits = command == F_OFD_SETLKW || command == F_SETLKW;
  Call call("lock", waits ? CallKind::waits : CallKind::other);
  Process& process = call.process();
  const Description* const of = kernel->description_of(process, fd);
  if (of == nullptr) return -1;
  const int file = of->inode;
  if (file == 0) return Call::fail(EBADF);
  LockRequest request;
  const LockFile asked = lock_file(*of, process.descriptors.at(fd).description);
  if (const int error = read_request(process.pid, asked, command, *range, request))
    return Call::fail(error);
  switch (request.kind) {
    case LockRequest::Kind::query: {
      const ByteLocks& locks = kernel->inode(file).locks;
      const std::size_t count = locks.count_conflicts(request.lock);
      write_answer(locks.conflict(request.lock, kernel->choice(process, count)), *range);
      return 0;
    }
    case LockRequest::Kind::unlock:
      kernel->trace(process, "unlocks from %lld", static_cast<long long>(request.lock.first));
      kernel->unlock(process, file, request.lock);
      return 0;
    case LockRequest::Kind::lock:
      break;
  }
  return take(process, file, request);
}

int duplicate(Process& process, int fd, int from, bool closes_on_exec) {
  const int number = process.descriptors.at(fd).description;
  const int to = Kernel::lowest_free(process, from);
  ++kernel->description(number).references;
  process.descriptors[to] = {number, closes_on_exec};
  return to;
}

int control(int fd, int command, long argument) {
  Call call("fcntl");
  Process& process = call.process();
  Description* const of = kernel->description_of(process, fd);
  if (of == nullptr) return -1;
  const int number = static_cast<int>(argument);
  switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
      return duplicate(process, fd, std::max(number, kFirstDescriptor), command == F_DUPFD_CLOEXEC);
    case F_GETFD:
      return process.descriptors.at(fd).closes_on_exec ? FD_CLOEXEC : 0;
    case F_SETFD:
      process.descriptors.at(fd).closes_on_exec = (number & FD_CLOEXEC) != 0;
      return 0;
    case F_GETFL:
      return of->flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC);
    case F_SETFL:
      of->flags = (of->flags & ~(O_NONBLOCK | O_APPEND)) | (number & (O_NONBLOCK | O_APPEND));
      return 0;
    case F_SETSIG:
      of->signal = number;
      return 0;
    case F_GETSIG:
      return of->signal;
    default:
      kernel->fail("the world has no fcntl command " + std::to_string(command));
  }
}

int dup2(int fd, int to) {
  Call call("dup2");
  Process& process = call.process();
  if (kernel->description_of(process, fd) == nullptr) return -1;
  if (fd == to) return to;
  if (process.descriptors.contains(to)) kernel->close(process, to);
  return duplicate(process, fd, to, false);
}

int flock_file(int fd, int operation) {
  Call call("flock", CallKind::waits);
  Process& process = call.process();
  const Description* const of = kernel->description_of(process, fd);
  if (of == nullptr) return -1;
  const int file = of->inode;
  const int number = process.descriptors.at(fd).description;
  const ByteLock wanted = flock_lock(number, (operation & LOCK_EX) != 0);
  ByteLocks& locks = kernel->inode(file).flocks;
  const bool unlocks = (operation & LOCK_UN) != 0;
  if (!unlocks && locks.holds(wanted)) return 0;
  locks.drop(wanted.owner);
  if (unlocks) return 0;
  while (locks.refuses(wanted)) {
    if ((operation & LOCK_NB) != 0) return Call::fail(EAGAIN);
    if (kernel->sleep(process, FlockWanted{file, wanted}, kNever) == Slept::interrupted)
      return Call::fail(EINTR);
  }
  locks.lock(wanted);
  return 0;
}

// The bytes of a file are never touched through its mapping: the product keeps to that, and a
// mapping that cannot be touched proves it.
void* map(void*, std::size_t size, int, int, int fd, off_t offset) {
  Call call("mmap");
  Process& process = call.process();
  int number = 0;
  if (fd >= 0) {
    const Description* const of = kernel->description_of(process, fd);
    if (of == nullptr) return MAP_FAILED;
    if ((of->flags & O_ACCMODE) == O_WRONLY) {
      errno = EACCES;
      return MAP_FAILED;
    }
    number = process.descriptors.at(fd).description;
    ++kernel->description(number).references;
  }
  void* const at = mmap(nullptr, size, number == 0 ? PROT_READ | PROT_WRITE : PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  process.mappings.push_back({static_cast<char*>(at), size, number, offset});
  return at;
}

int unmap(void* at, std::size_t size) {
  Call call("munmap");
  Process& process = call.process();
  for (auto each = process.mappings.begin(); each != process.mappings.end(); ++each) {
    if (each->at != at) continue;
    if (each->size != size) kernel->fail("the world has no munmap of a part");
    const int number = each->description;
    process.mappings.erase(each);
    munmap(at, size);
    if (number != 0) kernel->drop_reference(process, number);
    return 0;
  }
  return Call::fail(EINVAL);
}

// Memory that a fork leaves out or clears is really so; memory that is shed stays.
int advise(void* at, std::size_t size, int advice) {
  Call call("madvise");
  return advice == MADV_DONTNEED ? 0 : madvise(at, size, advice);
}

int set_robust_list(void* head, std::size_t) {
  Call call("set_robust_list");
  call.process().robust_list = head;
  return 0;
}

}  // namespace

void install_descriptors(atmost::os::Calls& calls) {
  calls.lock = lock;
  calls.control = control;
  calls.dup2 = dup2;
  calls.flock = flock_file;
  calls.mmap = map;
  calls.munmap = unmap;
  calls.madvise = advise;
  calls.set_robust_list = set_robust_list;
}

}  // namespace world
