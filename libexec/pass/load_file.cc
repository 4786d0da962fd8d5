#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/file.h"
#include "pass_file.h"

namespace atmost::pass {
namespace {

// Far more than any pass file needs; a device or a log given by mistake is not read to its end.
constexpr std::size_t kLargest = 8 << 20;

// The users other than root who can change a file with this status; empty if there are none. In a
// sticky directory only a name's owner can replace it.
std::string changed_by(const struct stat& status) {
  if (status.st_uid != 0) return "belongs to user " + std::to_string(status.st_uid);
  const bool kept = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  if (kept) return {};
  if ((status.st_mode & S_IWOTH) != 0) return "can be written by everybody";
  if ((status.st_mode & S_IWGRP) != 0 && status.st_gid != 0) {
    return "can be written by group " + std::to_string(status.st_gid);
  }
  return {};
}

// The first directory above `path` that another user could change.
std::string weak_directory(std::string path) {
  while (path.size() > 1) {
    path.resize(path.rfind('/') == 0 ? 1 : path.rfind('/'));
    struct stat status;
    if (stat(path.c_str(), &status) != 0) return path + ": " + strerror(errno);
    if (const std::string who = changed_by(status); !who.empty())
      return "the directory " + path + " " + who;
  }
  return {};
}

// The first thing on the way to `path` that another user could change: the file, the directories
// it really lies in, and those of the links that lead to it.
std::string weak_spot(const std::string& path, int fd) {
  struct stat opened;
  struct stat found;
  char real[PATH_MAX];
  char here[PATH_MAX];
  if (fstat(fd, &opened) != 0 || realpath(path.c_str(), real) == nullptr ||
      stat(real, &found) != 0 || getcwd(here, sizeof here) == nullptr) {
    return path + ": " + strerror(errno);
  }
  if (opened.st_dev != found.st_dev || opened.st_ino != found.st_ino)
    return path + " is being replaced";
  if (const std::string who = changed_by(opened); !who.empty()) return path + " " + who;
  if (const std::string directory = weak_directory(real); !directory.empty()) return directory;
  return weak_directory(path[0] == '/' ? path : std::string(here) + "/" + path);
}

}  // namespace

std::optional<std::string> load_file(const std::string& path, std::string& why_not,
                                     bool& not_ours) {
  not_ours = false;
  const os::Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  if (fd.get() < 0 || fstat(fd.get(), &status) != 0) {
    why_not = strerror(errno);
    return {};
  }
  if (!S_ISREG(status.st_mode)) {
    why_not = "is not a regular file";
    return {};
  }
  if (geteuid() == 0) {
    why_not = weak_spot(path, fd.get());
    not_ours = !why_not.empty();
    if (not_ours) {
      why_not = "refused, because " + why_not + " and what it says would be run as root";
      return {};
    }
  }
  std::string text;
  char buffer[16384];
  for (;;) {
    const ssize_t got = read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      why_not = strerror(errno);
      return {};
    }
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > kLargest) {
      why_not = "is larger than 8 MiB";
      return {};
    }
  }
}

}  // namespace atmost::pass
