#include "mounts.h"

#include <cerrno>
#include <cstring>

#include "core/text.h"
#include "file.h"

namespace atmost::os {
namespace {

// An overlay's options hold the path of every layer and take at most a page; the other fields are
// paths.
constexpr std::size_t kLongestLine = 32768;

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// Takes the next field off `line` and undoes its escapes (\040 …) in place.
std::string_view take_field(std::string_view& line, char* base) {
  std::size_t size = line.find(' ');
  if (size == std::string_view::npos) size = line.size();
  const std::string_view raw(line.data(), size);
  line.remove_prefix(size < line.size() ? size + 1 : size);
  char* to = base + (raw.data() - base);
  char* const start = to;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const bool escape = raw[i] == '\\' && i + 3 < raw.size() && is_octal(raw[i + 1]) &&
                        is_octal(raw[i + 2]) && is_octal(raw[i + 3]);
    if (!escape) {
      *to++ = raw[i];
      continue;
    }
    *to++ =
        static_cast<char>((raw[i + 1] - '0') * 64 + (raw[i + 2] - '0') * 8 + (raw[i + 3] - '0'));
    i += 3;
  }
  return {start, static_cast<std::size_t>(to - start)};
}

std::int64_t leading_number(std::string_view text) {
  std::int64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9' || value > INT32_MAX) break;
    value = value * 10 + (c - '0');
  }
  return value;
}

// ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG…] - TYPE SOURCE SUPER-OPTIONS
void show(std::string_view line, char* buffer, MountVisitor& visitor) {
  Mount mount;
  mount.id = leading_number(take_field(line, buffer));
  take_field(line, buffer);
  take_field(line, buffer);
  mount.root = take_field(line, buffer);
  mount.point = take_field(line, buffer);
  take_field(line, buffer);
  while (!line.empty() && take_field(line, buffer) != "-") {
  }
  mount.type = take_field(line, buffer);
  mount.source = take_field(line, buffer);
  mount.options = take_field(line, buffer);
  if (!mount.type.empty()) visitor.mount(mount);
}

}  // namespace

int each_mount(MountVisitor& visitor) {
  char buffer[kLongestLine];
  Fd file;
  if (const int error = open_to_read("/proc/self/mountinfo", file)) return error;
  std::int64_t at = 0;
  bool skipping = false;  // the rest of a line that was too long
  for (;;) {
    std::size_t got = 0;
    if (const int error = read_at(file.get(), buffer, sizeof buffer, at, got)) return error;
    if (got == 0) return 0;
    const std::string_view text(buffer, got);
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      skipping = true;
      at += static_cast<std::int64_t>(got);
      continue;
    }
    // One line for each read: it is unescaped in place. A machine has dozens of mounts, rarely
    // thousands.
    if (!skipping) show({text.data(), end}, buffer, visitor);
    skipping = false;
    at += static_cast<std::int64_t>(end) + 1;
  }
}

std::int64_t mount_of(int fd) {
  Text<63> path("/proc/self/fdinfo/");
  path.append_signed(fd);
  Fd file;
  char text[1024];
  std::size_t size = 0;
  if (open_to_read(path.c_str(), file) != 0 || read_at(file.get(), text, sizeof text, 0, size) != 0)
    return 0;
  constexpr std::string_view kField = "mnt_id:\t";
  const std::size_t found = std::string_view(text, size).find(kField);
  if (found == std::string_view::npos) return 0;
  const std::size_t value = found + kField.size();
  return leading_number({text + value, size - value});
}

std::string_view option(std::string_view options, std::string_view name) {
  while (!options.empty()) {
    std::size_t size = options.find(',');
    if (size == std::string_view::npos) size = options.size();
    const std::string_view one(options.data(), size);
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=') {
      return {one.data() + name.size() + 1, one.size() - name.size() - 1};
    }
    options.remove_prefix(size < options.size() ? size + 1 : size);
  }
  return {};
}

bool lies_in(std::string_view path, std::string_view directory) {
  if (directory == "/") return true;
  return !directory.empty() && path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace atmost::os
