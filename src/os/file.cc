#include "file.h"

#include <unistd.h>

#include <cerrno>

#include "calls.h"
#include "platform.h"

namespace atmost::os {
namespace {

constexpr int kSafe = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr int kFirstOwn = 3;  // 0, 1 and 2 belong to the streams, even when they are closed
// scripts use 3 to 9 by hand, shells save theirs from 10, bash at 255
constexpr int kOutOfTheWay = 200;

int move_up(Fd& fd, int lowest) {
  const int moved = calls.control(fd.get(), F_DUPFD_CLOEXEC, lowest);
  if (moved < 0) return errno;
  fd = Fd(moved);
  return 0;
}

int open_with(const char* path, int flags, mode_t mode, Fd& to) {
  int fd;
  do {
    fd = calls.openat(AT_FDCWD, path, flags | kSafe, mode);
  } while (fd < 0 && errno == EINTR);
  // Only a file's owner may ask for that.
  if (fd < 0 && errno == EPERM && (flags & platform::kQuietly) != 0)
    return open_with(path, flags & ~platform::kQuietly, mode, to);
  if (fd < 0) return errno;
  Fd opened(fd);
  if (fd < kFirstOwn) {
    if (const int error = move_up(opened, kFirstOwn)) return error;
  }
  to = std::move(opened);
  return 0;
}

}  // namespace

// Our files are read and written all the time, and their access time is not worth a write to the
// disk each time.
int open_existing(const char* path, Fd& to) {
  return open_with(path, O_RDWR | platform::kQuietly, 0, to);
}

int open_to_read(const char* path, Fd& to) { return open_with(path, O_RDONLY, 0, to); }

namespace {

int create_with(const char* path, int flags, unsigned mode, Fd& to) {
  // No bit for others until fchmod: between the two calls nobody else can open it.
  const int error = open_with(path, flags | O_CREAT | O_EXCL, 0600, to);
  if (error != 0) return error;
  if (calls.fchmod(to.get(), static_cast<mode_t>(mode)) != 0) return errno;
  return 0;
}

}  // namespace

int create_new(const char* path, unsigned mode, Fd& to) {
  return create_with(path, O_RDWR, mode, to);
}

// Readable too, because an append checks how the file ends.
int open_to_append(const char* path, Fd& to) {
  return open_with(path, O_RDWR | O_APPEND | platform::kQuietly, 0, to);
}

int create_to_append(const char* path, unsigned mode, Fd& to) {
  return create_with(path, O_RDWR | O_APPEND, mode, to);
}

int append(int fd, const void* from, std::size_t size, std::size_t& done) {
  done = 0;
  ssize_t count;
  do {
    count = calls.write(fd, from, size);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return errno;
  done = static_cast<std::size_t>(count);
  return 0;
}

int await_writes(int fd) { return calls.futimens(fd, nullptr) == 0 ? 0 : errno; }

int set_mode(int fd, unsigned mode) {
  return calls.fchmod(fd, static_cast<mode_t>(mode)) == 0 ? 0 : errno;
}

int read_at(int fd, void* to, std::size_t size, std::int64_t at, std::size_t& got) {
  got = 0;
  while (got < size) {
    const ssize_t count = calls.pread(fd, static_cast<char*>(to) + got, size - got,
                                      static_cast<off_t>(at) + static_cast<off_t>(got));
    if (count < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
  }
  return 0;
}

// A write beyond RLIMIT_FSIZE raises SIGXFSZ, which would end this process because of a hint: do
// not try it.
bool beyond_limit(std::int64_t size) {
  // The first size that is too much; 0: not asked yet. Asked once, because no other process is
  // expected to lower our limit.
  static std::uint64_t known = 0;
  std::uint64_t too_much = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (too_much == 0) {
    struct rlimit now = {};
    const bool limited = calls.getrlimit(RLIMIT_FSIZE, &now) == 0 && now.rlim_cur != RLIM_INFINITY;
    too_much = limited ? std::uint64_t{now.rlim_cur} + 1 : UINT64_MAX;
    __atomic_store_n(&known, too_much, __ATOMIC_RELAXED);
  }
  return static_cast<std::uint64_t>(size) >= too_much;
}

int write_at(int fd, const void* from, std::size_t size, std::int64_t at) {
  if (beyond_limit(at + static_cast<std::int64_t>(size))) return EFBIG;
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = calls.pwrite(fd, static_cast<const char*>(from) + done, size - done,
                                       static_cast<off_t>(at) + static_cast<off_t>(done));
    if (count < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (count == 0) return ENOSPC;
    done += static_cast<std::size_t>(count);
  }
  return 0;
}

int write_all(int fd, const void* from, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = calls.write(fd, static_cast<const char*>(from) + done, size - done);
    if (count > 0) {
      done += static_cast<std::size_t>(count);
      continue;
    }
    if (count == 0) return ENOSPC;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return errno;
    struct pollfd ready = {fd, POLLOUT, 0};
    if (calls.poll(&ready, 1, -1) < 0 && errno != EINTR) return errno;
  }
  return 0;
}

int file_status(int fd, struct stat& to) { return calls.fstat(fd, &to) == 0 ? 0 : errno; }

int path_status(const char* path, struct stat& to, bool follow) {
  return (follow ? calls.stat(path, &to) : calls.lstat(path, &to)) == 0 ? 0 : errno;
}

int file_status_untimed(int fd, struct stat& to) {
  return calls.status(fd, "", &to) == 0 ? 0 : errno;
}

int path_status_untimed(const char* path, struct stat& to) {
  return calls.status(AT_FDCWD, path, &to) == 0 ? 0 : errno;
}

int sync_data(int fd) {
  int result;
  do {
    result = calls.fdatasync(fd);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

int room_left(int fd, Room& to) {
  struct statvfs info = {};
  if (calls.fstatvfs(fd, &info) != 0) return errno;
  to.free_bytes = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  to.free_files = info.f_favail;
  to.counts_files = info.f_files != 0;
  to.read_only = (info.f_flag & ST_RDONLY) != 0;
  return 0;
}

int move_high(Fd& fd) {
  const int error = move_up(fd, kOutOfTheWay);
  return error == EINVAL ? move_up(fd, kFirstOwn) : error;
}

int copy_high(Fd& fd, Fd& old) {
  const int copy = calls.control(fd.get(), F_DUPFD_CLOEXEC, kOutOfTheWay);
  if (copy < 0) return errno;
  old = std::move(fd);
  fd = Fd(copy);
  return 0;
}

int open_pipe(Fd& read_end, Fd& write_end, int lowest) {
  int ends[2];
  if (calls.pipe(ends) != 0) return errno;
  read_end = Fd(ends[0]);
  write_end = Fd(ends[1]);
  for (Fd* end : {&read_end, &write_end}) {
    if (end->get() >= lowest) continue;
    if (const int error = move_up(*end, lowest)) return error;
  }
  return 0;
}

int make_inheritable(int fd) { return calls.control(fd, F_SETFD, 0) < 0 ? errno : 0; }

int lend_high(int fd) {
  if (fd >= kOutOfTheWay) return make_inheritable(fd);
  if (calls.control(fd, F_DUPFD, kOutOfTheWay) >= 0) return 0;
  return errno == EINVAL && calls.control(fd, F_DUPFD, kFirstOwn) >= 0 ? 0 : errno;
}

Trust filesystem_trust(int fd, const char** name) {
  const long magic = calls.filesystem_magic(fd);
  if (magic >= 0) return platform::classify_filesystem(magic, name);
  *name = "unknown";
  return Trust::unknown;
}

void keep_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (calls.control(fd, F_GETFD, 0) >= 0) continue;
    // The lowest free number is this one.
    calls.openat(AT_FDCWD, "/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC, 0);
  }
}

void Fd::reset() {
  if (fd_ < 0) return;
  const int saved = errno;
  calls.close(std::exchange(fd_, -1));
  errno = saved;
}

}  // namespace atmost::os
