#include "proc_files.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "../calls.h"
#include "../clock.h"
#include "../file.h"
#include "../self.h"
#include "../terminal.h"

extern "C" char** environ;

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

std::uint64_t signal_set(std::string_view status, std::string_view name) {
  const std::size_t at = status.find(name);
  if (at >= status.size()) return 0;
  status.remove_prefix(at + name.size());
  std::uint64_t set = 0;
  for (std::size_t i = 0; i < status.size() && status[i] != '\n'; ++i) {
    const char c = status[i];
    set = set << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return set;
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

int Numbers::open(const char* path) { return open_directory(path, dir_); }

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

namespace {

bool lists(std::string_view value, std::string_view wanted) {
  while (!value.empty()) {
    const std::size_t colon = value.find(':');
    const std::size_t size = colon < value.size() ? colon : value.size();
    if (std::string_view(value.data(), size) == wanted) return true;
    value.remove_prefix(colon < value.size() ? colon + 1 : value.size());
  }
  return false;
}

// True if the environment that `pid` was started with has a variable `name` whose value `likes`
// accepts.
template <class Likes>
bool any_variable(std::int64_t pid, std::string_view name, Likes likes) {
  Fd file;
  if (open_to_read(Text<63>("/proc/").append_signed(pid).append("/environ").c_str(), file) != 0)
    return false;
  // Variable by variable, through a small buffer; if a variable is longer than the buffer, its rest
  // is skipped.
  char buffer[4096];
  std::size_t filled = 0;
  bool passing_over = false;
  for (;;) {
    const ssize_t got = calls.read(file.get(), buffer + filled, sizeof buffer - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    filled += static_cast<std::size_t>(got);
    std::size_t start = 0;
    for (;;) {
      const std::string_view rest(buffer + start, filled - start);
      const std::size_t end = rest.find('\0');
      if (end >= rest.size()) break;
      const std::string_view entry(rest.data(), end);
      if (!passing_over && entry.starts_with(name) && entry.size() > name.size() &&
          entry[name.size()] == '=' &&
          likes(std::string_view(entry.data() + name.size() + 1, entry.size() - name.size() - 1))) {
        return true;
      }
      passing_over = false;
      start += end + 1;
    }
    filled -= start;
    std::memmove(buffer, buffer + start, filled);
    if (filled == sizeof buffer) {
      filled = 0;
      passing_over = true;
    }
  }
}

}  // namespace

bool is_marked(std::int64_t pid, const char* name, std::int64_t pid_in_mark) {
  const Text<31> wanted = Text<31>().append_signed(pid_in_mark);
  return any_variable(pid, name, [&](std::string_view value) { return lists(value, wanted); });
}

bool started_with(std::int64_t pid, const char* name, PathText& to) {
  return any_variable(pid, name, [&](std::string_view value) {
    to.assign(value);
    return !to.truncated();
  });
}

bool has_open(std::int64_t pid, std::int64_t opened) {
  Text<63> file("/proc/");
  file.append_signed(opened).append("/limits");
  for (int fd = 3; fd <= 9; ++fd) {
    Text<63> path("/proc/");
    path.append_signed(pid).append("/fd/").append_signed(fd);
    char link[96];
    const ssize_t size = calls.readlink(path.c_str(), link, sizeof link);
    const std::string_view found(link, size > 0 ? static_cast<std::size_t>(size) : 0);
    // The kernel adds " (deleted)" when that process has ended.
    if (found.starts_with(file.view()) &&
        (found.size() == file.view().size() || found[file.view().size()] == ' '))
      return true;
  }
  return false;
}

void hide_mark(const char* name) {
  const std::size_t size = std::strlen(name);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    // Changed in place: other processes see the memory that the kernel laid out when this program
    // was started.
    if (std::strncmp(*entry, name, size) == 0 && (*entry)[size] == '=') (*entry)[0] = '=';
  }
}

}  // namespace atmost::os
