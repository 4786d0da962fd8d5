#include "../file.h"

#include <dirent.h>

#include <cerrno>

namespace atmost::os {

int visit_names(const char* path, void (*visit)(void* context, std::string_view name),
                void* context) {
  DIR* directory = opendir(path);
  if (directory == nullptr) return errno;
  errno = 0;
  while (const struct dirent* entry = readdir(directory)) {
    const std::string_view name{entry->d_name};
    if (name != "." && name != "..") visit(context, name);
    errno = 0;
  }
  const int error = errno;
  closedir(directory);
  return error;
}

}  // namespace atmost::os
