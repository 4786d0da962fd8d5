#include "host.h"

#include <sys/utsname.h>

#include <fstream>
#include <sstream>

#include "core/host.h"

namespace atmost::pass {
namespace {

std::string text_of(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result;
  for (const char c : text) result += lower(c);
  return result;
}

// os-release(5): NAME=value, the value perhaps in quotes.
std::string release_value(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(key + "=", 0) != 0) continue;
    std::string value = line.substr(key.size() + 1);
    if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0]) {
      value = value.substr(1, value.size() - 2);
    }
    return value;
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
  std::istringstream lines{std::string(hosts)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    std::string full;
    bool ours = false;
    words >> word;  // the address
    while (words >> word) {
      ours = ours || lower(word) == lower(name);
      if (full.empty() && lower(word).rfind(lower(name) + ".", 0) == 0) full = word;
    }
    if (ours && !full.empty()) return full;
  }
  return name;
}

Host this_host(std::string_view name) {
  Host host;
  host.name = name.empty() ? std::string(host_name().view()) : std::string(name);
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
