#include "../environment_mark.h"

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
#include "../terminal.h"

extern "C" char** environ;

namespace atmost::os {
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
