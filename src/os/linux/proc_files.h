// Reading /proc: paths, files and directories of numbers.
#ifndef ATMOST_OS_LINUX_PROC_FILES_H
#define ATMOST_OS_LINUX_PROC_FILES_H

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../file.h"
#include "core/text.h"

namespace atmost::os {

// /proc/PID, and `rest` behind it.
inline Text<63> proc_path(std::int64_t pid, std::string_view rest) {
  Text<63> path("/proc/");
  path.append_signed(pid).append(rest);
  return path;
}

// One read(2), which is how /proc gives a consistent answer. As read(2), but never EINTR.
ssize_t read_some(int fd, char* to, std::size_t size);

// The same of a file, opened for it: 0 or an errno value.
int read_proc(const char* path, char* to, std::size_t size, std::string_view& got);

// The set of signals in a line of /proc/PID/status that begins with `name` (a newline, the name, a
// colon, a tab); 0: there is no such line. Bit 0 is signal 1.
std::uint64_t signal_set(std::string_view status, std::string_view name);
inline constexpr std::size_t kStatusRoom = 8192;  // for that file, with the process's groups

// True if the numbers in /proc are those of our pid namespace. Asked once; a child asks again.
bool own_numbers();

// The names of a /proc folder that are numbers. One pass, in the kernel's order.
class Numbers {
 public:
  int open(const char* path);
  bool next(std::int64_t& to);

 private:
  Fd dir_;
  alignas(8) char buffer_[4096];
  std::size_t at_ = 0;
  std::size_t size_ = 0;
};

}  // namespace atmost::os

#endif
