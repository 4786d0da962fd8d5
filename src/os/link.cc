#include "link.h"

#include <cerrno>

#include "calls.h"
#include "file.h"

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

}  // namespace atmost::os
