#include "../process_label.h"

#include "../file.h"

namespace atmost::os {

bool process_label(std::int64_t pid, ProcessLabel& to) {
  Text<63> path("/proc/");
  path.append_signed(pid);
  struct stat status;
  if (path_status(path.c_str(), status, true) != 0) return false;
  to.user = status.st_uid;
  path.append("/comm");
  Fd file;
  char name[64];
  std::size_t size = 0;
  if (open_to_read(path.c_str(), file) != 0 || read_at(file.get(), name, sizeof name, 0, size) != 0)
    return false;
  if (size > 0 && name[size - 1] == '\n') --size;
  to.name = Text<63>(std::string_view(name, size));
  return true;
}

}  // namespace atmost::os
