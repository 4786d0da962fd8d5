#include "setup_group.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/parse.h"
#include "os/fd.h"
#include "reader/failure.h"

namespace atmost::doctor {
namespace {

using history::Failure;

constexpr mode_t kShared = S_ISGID | S_IRWXU | S_IRWXG;
constexpr mode_t kAll = S_ISUID | S_ISGID | S_ISVTX | S_IRWXU | S_IRWXG | S_IRWXO;

[[noreturn]] void fail_setup(const std::string& directory, const std::string& what, int error) {
  const Code code = error == EPERM || error == EACCES ? Code::not_permitted : Code::io;
  throw Failure(code, directory + ": " + what + ": " + strerror(error));
}

gid_t number_of(const std::string& group) {
  errno = 0;
  if (const struct group* known = getgrnam(group.c_str())) return known->gr_gid;
  const Result<std::uint64_t> number = parse_count(group, 0, UINT32_MAX - 1);
  if (number.ok()) return static_cast<gid_t>(number.value());
  throw Failure(Code::usage, "--setup-group: there is no group \"" + group + "\": groupadd " +
                                 group + " makes it");
}

bool is_empty(int fd) {
  DIR* const entries = fdopendir(fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (entries == nullptr) return false;
  bool empty = true;
  while (const dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    empty = empty && (name == "." || name == "..");
  }
  closedir(entries);
  return empty;
}

}  // namespace

void setup_group(const std::string& directory, const std::string& group) {
  const gid_t gid = number_of(group);
  if (mkdir(directory.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    fail_setup(directory, "cannot make it", errno);
  const os::Fd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.open()) fail_setup(directory, "cannot open it", errno);
  struct stat status;
  if (fstat(fd.get(), &status) != 0) fail_setup(directory, "cannot examine it", errno);
  if (status.st_gid == gid && (status.st_mode & kAll) == kShared) return;
  // Locks that are held there would have been made for other rights; /tmp has other files.
  if (!is_empty(fd.get())) {
    throw Failure(Code::usage,
                  directory + ": is in use: --setup-group needs an empty or a new directory");
  }
  if (status.st_gid != gid && fchown(fd.get(), static_cast<uid_t>(-1), gid) != 0)
    fail_setup(directory, "cannot give it to group " + group, errno);
  if (fchmod(fd.get(), kShared) != 0) fail_setup(directory, "cannot change its mode", errno);
  // The kernel drops the bit in silence for a group of which this user is not a member.
  if (fstat(fd.get(), &status) != 0 || (status.st_mode & kAll) != kShared) {
    (void)fchmod(fd.get(), S_IRWXU);
    throw Failure(Code::not_permitted,
                  directory + ": only root or a member of group " + group + " may set it up");
  }
}

}  // namespace atmost::doctor
