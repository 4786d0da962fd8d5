#include "proc_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "../calls.h"
#include "../file.h"
#include "../self.h"

namespace atmost::os {
namespace {

// struct linux_dirent64, getdents64(2): d_ino and d_off of eight bytes, d_reclen of two, d_type of
// one, d_name.
constexpr std::size_t kLengthAt = 16;
constexpr std::size_t kNameAt = 19;

bool number(const char* name, std::int64_t& to) {
  to = 0;
  for (; *name != '\0'; ++name) {
    if (*name < '0' || *name > '9' || to > INT32_MAX) return false;
    to = to * 10 + (*name - '0');
  }
  return true;
}

}  // namespace

ssize_t read_some(int fd, char* to, std::size_t size) {
  ssize_t got;
  do {
    got = calls.read(fd, to, size);
  } while (got < 0 && errno == EINTR);
  return got;
}

int read_proc(const char* path, char* to, std::size_t size, std::string_view& got) {
  Fd file;
  if (const int error = open_to_read(path, file)) return error;
  const ssize_t read = read_some(file.get(), to, size);
  if (read < 0) return errno;
  got = {to, static_cast<std::size_t>(read)};
  return 0;
}

bool own_numbers() {
  static std::int64_t asked_by = 0;
  const std::int64_t self = process_id();
  if (__atomic_load_n(&asked_by, __ATOMIC_RELAXED) == self) return true;
  char name[24];
  const ssize_t size = calls.readlink("/proc/self", name, sizeof name);
  if (size <= 0 || Text<23>().append_signed(self).view() !=
                       std::string_view(name, static_cast<std::size_t>(size))) {
    return false;
  }
  __atomic_store_n(&asked_by, self, __ATOMIC_RELAXED);
  return true;
}

int Numbers::open(const char* path) {
  int fd;
  do {
    fd = calls.openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return errno;
  dir_ = Fd(fd);
  return 0;
}

bool Numbers::next(std::int64_t& to) {
  for (;;) {
    if (at_ >= size_) {
      const ssize_t got = calls.getdents(dir_.get(), buffer_, sizeof buffer_);
      if (got <= 0) return false;
      at_ = 0;
      size_ = static_cast<std::size_t>(got);
    }
    const char* record = buffer_ + at_;
    unsigned short length;
    std::memcpy(&length, record + kLengthAt, sizeof length);
    at_ += length;
    if (number(record + kNameAt, to)) return true;
  }
}

}  // namespace atmost::os
