#include "../machine.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>

#include "../calls.h"

namespace atmost::os {

bool has_raised_rights() { return getauxval(AT_SECURE) != 0; }

bool program_path(PathText& to) {
  char path[PathText::capacity() + 1];
  const ssize_t size = calls.readlink("/proc/self/exe", path, sizeof path);
  if (size == static_cast<ssize_t>(sizeof path)) errno = ENAMETOOLONG;
  if (size <= 0 || size == static_cast<ssize_t>(sizeof path)) return false;
  to = PathText({path, static_cast<std::size_t>(size)});
  return true;
}

}  // namespace atmost::os
