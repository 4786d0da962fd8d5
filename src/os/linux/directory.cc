#include "../file.h"

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "../calls.h"

namespace atmost::os {
namespace {

// struct linux_dirent64, getdents64(2): d_ino and d_off of eight bytes, d_reclen of two, d_type of
// one, d_name.
constexpr std::size_t kLengthAt = 16;
constexpr std::size_t kNameAt = 19;

}  // namespace

int visit_names(const char* path, void (*visit)(void* context, std::string_view name),
                void* context) {
  int fd;
  do {
    fd = calls.openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK, 0);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return errno;
  const Fd directory(fd);
  alignas(8) char records[4096];
  for (;;) {
    const ssize_t got = calls.getdents(directory.get(), records, sizeof records);
    if (got <= 0) return got == 0 ? 0 : errno;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      unsigned short length;
      std::memcpy(&length, records + at + kLengthAt, sizeof length);
      const std::string_view name{records + at + kNameAt};
      if (name != "." && name != "..") visit(context, name);
      at += length;
    }
  }
}

}  // namespace atmost::os
