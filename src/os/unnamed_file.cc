#include "file.h"

#include <fcntl.h>

#include <cerrno>

#include "calls.h"
#include "core/text.h"
#include "platform.h"
#include "self.h"

namespace atmost::os {
namespace {

constexpr std::int64_t kRoom = 64 * 1024;

#ifdef O_TMPFILE
constexpr int kUnnamed = O_TMPFILE;
#else
constexpr int kUnnamed = 0;
#endif

int open_at(const char* path, int flags, Fd& to) {
  Fd fd(calls.openat(AT_FDCWD, path, flags | O_CLOEXEC | O_NOCTTY, 0600));
  if (!fd.open()) return errno;
  to = static_cast<Fd&&>(fd);
  return 0;
}

// For filesystems that cannot make a file without a name.
int create_and_remove(const char* directory, Fd& to) {
  constexpr int kTries = 100;
  int error = EEXIST;
  for (int i = 0; i < kTries && error == EEXIST; ++i) {
    PathText path(directory);
    path.append("/atmost-output.").append_signed(process_id()).push('.').append_unsigned(scatter());
    if (path.truncated()) return ENAMETOOLONG;
    error = open_at(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, to);
    if (error == 0) error = remove_name(path.c_str());
  }
  return error;
}

// The same file, opened anew with other rights.
int open_again(const Fd& fd, int flags, Fd& to) {
  Text<40> path("/proc/self/fd/");
  path.append_signed(fd.get());
  return open_at(path.c_str(), flags, to);
}

}  // namespace

int open_unnamed(const char* directory, Fd& to) {
  int error = kUnnamed != 0 ? open_at(directory, O_RDWR | O_APPEND | kUnnamed, to) : EOPNOTSUPP;
  // EISDIR: a kernel that does not know the flag; EINVAL, EOPNOTSUPP: a filesystem that does not.
  if (error == EISDIR || error == EOPNOTSUPP || error == EINVAL)
    error = create_and_remove(directory, to);
  if (error == 0) error = has_room(to.get());
  if (error == 0) error = free_blocks(to.get(), 0, kRoom);
  return error;
}

int free_blocks(int fd, std::int64_t from, std::int64_t to) {
  int result;
  do {
    result = calls.fallocate(fd, platform::kFreeBlocks, from, to - from);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

int has_room(int fd) {
  struct stat status;
  if (const int error = file_status(fd, status)) return error;
  int result;
  do {
    result = calls.fallocate(fd, platform::kReserveBlocks, status.st_size, kRoom);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

int open_reader(const Fd& file, Fd& to) { return open_again(file, O_RDONLY, to); }

bool has_other_writers(Fd& fd) {
  Fd reader;
  if (open_again(fd, O_RDONLY, reader) != 0) return false;
  fd.reset();
  // The kernel grants a lease for reading only on a file that no process has open for writing.
  if (calls.take_read_lease(reader.get()) == 0) return false;
  if (errno != EAGAIN) return false;
  return open_again(reader, O_RDWR | O_APPEND, fd) == 0;
}

}  // namespace atmost::os
