#include "environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "core/parse.h"

namespace atmost::fleet {

std::string variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

namespace {

constexpr std::size_t kLongestSecret = 65536;

Error about_file(const std::string& name, int sys, std::string_view what, const std::string& path) {
  Error error = error_of(Code::usage, sys, "$");
  error.message.append(name).append(": ").append(what).append(path);
  return error;
}

}  // namespace

Status take_file_name(const std::string& name, std::string& to) {
  to = variable(name);
  if (to.empty() || access(to.c_str(), R_OK) == 0) return {};
  return about_file(name, errno, "cannot read ", to);
}

Status check_private(const std::string& name, const std::string& path) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  const mode_t others = found.st_uid == 0 ? S_IRWXO | S_IWGRP | S_IXGRP : S_IRWXG | S_IRWXO;
  if ((found.st_mode & others) == 0) return {};
  Error error = about_file(name, 0, "others may read or write ", path);
  error.code = Code::not_permitted;
  error.message.append(": chmod 600 it (640 will do if it is root's)");
  return error;
}

Status read_secret(const std::string& name, std::string& to) {
  to = variable(name);
  const std::string path = variable(name + "_FILE");
  if (path.empty()) return {};
  if (Status alone = check_private(name + "_FILE", path); !alone.ok()) return alone;
  std::ifstream file(path);
  // The first line: the newline at its end is not part of the secret. The length is limited because
  // the file may be a device.
  to.resize(kLongestSecret);
  file.read(to.data(), static_cast<std::streamsize>(kLongestSecret));
  to.resize(static_cast<std::size_t>(file.gcount()));
  const bool whole = to.size() < kLongestSecret;
  to.resize(std::min(to.find('\n'), to.size()));
  if (whole && !to.empty()) return {};
  to.clear();
  return about_file(name + "_FILE", errno, "cannot read a secret from ", path);
}

Status read_timeout(const std::string& name, Duration& to) {
  const std::string text = variable(name);
  if (text.empty()) return {};
  const Result<Duration> span = parse_duration(text);
  if (span.ok() && !span.value().is_zero() && !span.value().is_forever()) {
    to = span.value();
    return {};
  }
  Error error = error_of(Code::usage, 0, "$");
  error.message.append(name).append(": use a duration, such as 5s");
  return error;
}

}  // namespace atmost::fleet
