#include "host.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/fd.h"
#include "os/machine.h"

namespace atmost::pass {
namespace {

// Streams are not used: the first of them prepares all locales, which takes a tenth of the time
// that a pass adds.
std::string text_of(const char* path) {
  std::string text;
  const os::Fd fd(open(path, O_RDONLY | O_CLOEXEC));
  char buffer[4096];
  while (fd.open()) {
    const ssize_t got = read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result;
  for (const char c : text) result += lower(c);
  return result;
}

// The text before the next of these characters, which is taken from `rest`, too.
std::string_view next_of(std::string_view& rest, std::string_view ends) {
  const std::size_t end = std::min(rest.find_first_of(ends), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

// The next word; empty: there is none.
std::string_view next_word(std::string_view& rest) {
  std::string_view word;
  while (word.empty() && !rest.empty()) word = next_of(rest, " \t\v\f\r");
  return word;
}

// os-release(5): NAME=value, the value perhaps in quotes.
std::string release_value(std::string_view text, const std::string& key) {
  while (!text.empty()) {
    const std::string_view line = next_of(text, "\n");
    if (!line.starts_with(key + "=")) continue;
    std::string_view value = line.substr(key.size() + 1);
    if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0]) {
      value = value.substr(1, value.size() - 2);
    }
    return std::string(value);
  }
  return {};
}

void add_name(std::set<std::string>& to, std::string_view name) {
  for (;;) {
    if (!name.empty()) to.insert(class_name(name));
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return;
    name.remove_prefix(dot + 1);
  }
}

}  // namespace

std::string full_name_in(std::string_view hosts, const std::string& name) {
  if (name.find('.') != std::string::npos) return name;
  while (!hosts.empty()) {
    std::string_view line = next_of(hosts, "\n");
    line = line.substr(0, line.find('#'));
    std::string_view full;
    bool ours = false;
    (void)next_word(line);  // the address
    for (std::string_view word; !(word = next_word(line)).empty();) {
      ours = ours || lower(word) == lower(name);
      if (full.empty() && lower(word).starts_with(lower(name) + ".")) full = word;
    }
    if (ours && !full.empty()) return std::string(full);
  }
  return name;
}

Host this_host(std::string_view name) {
  Host host;
  host.name = name.empty() ? os::kept_host_name() : name;
  host.full_name = full_name_in(text_of("/etc/hosts"), host.name);
  utsname system = {};
  if (uname(&system) == 0) {
    host.system = system.sysname;
    host.machine = system.machine;
  }
  host.os_release = text_of("/etc/os-release");
  if (host.os_release.empty()) host.os_release = text_of("/usr/lib/os-release");
  return host;
}

std::string class_name(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    const bool plain = (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z');
    if (!plain) c = '_';
  }
  return name;
}

std::set<std::string> hard_classes(const Host& host) {
  std::set<std::string> classes = {"any"};
  add_name(classes, host.full_name);
  for (const std::string& name :
       {host.name, host.name.substr(0, host.name.find('.')), lower(host.system), host.machine}) {
    if (!name.empty()) classes.insert(class_name(name));
  }
  const std::string id = class_name(release_value(host.os_release, "ID"));
  const std::string version = release_value(host.os_release, "VERSION_ID");
  if (id.empty()) return classes;
  classes.insert(id);
  for (std::size_t end = 0; !version.empty() && end != std::string::npos;) {
    end = version.find('.', end + 1);
    classes.insert(id + "_" + class_name(version.substr(0, end)));
  }
  return classes;
}

}  // namespace atmost::pass
