#include "file.h"

#include <fcntl.h>

#include <cerrno>

#include "calls.h"

namespace atmost::os {
namespace {

int answer(int result) { return result == 0 ? 0 : errno; }

// The errors of renameat2(2) where the kernel or the filesystem lacks the flag.
bool lacking(int error) { return error == EINVAL || error == ENOSYS || error == ENOTSUP; }

}  // namespace

int make_link(const char* text, const char* path) { return answer(calls.symlink(text, path)); }

int read_link(const char* path, PathText& to) {
  char text[PathText::capacity() + 1];
  const ssize_t size = calls.readlink(path, text, sizeof text);
  if (size < 0) return errno;
  if (static_cast<std::size_t>(size) == sizeof text) return ENAMETOOLONG;
  to.clear();
  to.append({text, static_cast<std::size_t>(size)});
  return 0;
}

int move_to_free_name(const char* from, const char* to) {
  const int error = answer(calls.rename_new(from, to));
  if (!lacking(error)) return error;
  if (const int failed = answer(calls.link(from, to))) return failed;
  return remove_name(from);
}

int exchange_names(const char* one, const char* other) {
  const int error = answer(calls.exchange(one, other));
  return lacking(error) ? ENOTSUP : error;
}

bool exists(const char* path) {
  struct stat status;
  return path_status(path, status, false) == 0;
}

bool is_missing(const char* path) {
  struct stat status;
  return path_status(path, status, false) == ENOENT;
}

int same_file(int fd, const char* path, bool& same) {
  struct stat behind_fd;
  struct stat behind_path;
  same = false;
  if (const int error = file_status(fd, behind_fd)) return error;
  if (const int error = path_status(path, behind_path, false)) return error == ENOENT ? 0 : error;
  same = behind_fd.st_dev == behind_path.st_dev && behind_fd.st_ino == behind_path.st_ino;
  return 0;
}

int make_directory(const char* path, unsigned mode) {
  return calls.mkdir(path, static_cast<mode_t>(mode)) == 0 ? 0 : errno;
}

int open_directory(const char* path, Fd& to) {
  int fd;
  do {
    fd = calls.openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return errno;
  to = Fd(fd);
  return 0;
}

int remove_name(const char* path) { return calls.unlink(path) == 0 ? 0 : errno; }

int descriptor_path(int fd, PathText& to) {
  char path[PathText::capacity() + 1];
  const ssize_t size = calls.descriptor_path(fd, path, sizeof path);
  if (size < 0) return errno;
  if (size == static_cast<ssize_t>(sizeof path)) return ENAMETOOLONG;
  to = PathText({path, static_cast<std::size_t>(size)});
  return 0;
}

int rename_file(const char* from, const char* to) {
  return calls.rename(from, to) == 0 ? 0 : errno;
}

}  // namespace atmost::os
