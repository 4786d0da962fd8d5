#include "directory.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "core/place.h"
#include "core/words.h"
#include "os/above.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/file.h"
#include "store/local/nfs_mount.h"

namespace atmost::shared {
namespace {

constexpr std::string_view kScheme = "shared:";

Error error_about(Code code, int sys, const std::string& directory, std::string_view what) {
  Error error = error_of(code, sys, directory);
  error.message.append(": ").append(what);
  if (sys != 0) error.message.append(": ").append(errno_words(sys));
  return error;
}

}  // namespace

std::string_view path_of(std::string_view url) { return url.substr(kScheme.size()); }

void keep_lock(const LockSpec& from, Arena& texts, LockSpec& to) {
  const bool kept = keep_name(from.name, texts, to).ok() &&
                    keep_path({.directory = path_of(from.path)}, texts, to.path).ok();
  if (!kept) throw std::bad_alloc();
}

Result<std::string> directory_of(std::string_view url) {
  if (!url.starts_with(kScheme) || path_of(url).empty() || path_of(url)[0] != '/')
    return error_of(Code::usage, 0, "names no directory by its whole path: use shared:/DIRECTORY");
  std::string directory(path_of(url));
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  return directory;
}

Status check_directory(const std::string& directory, std::string* mount) {
  const os::Fd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.open()) {
    const int error = errno;
    Error failed = error_about(error == EACCES ? Code::not_permitted : Code::unavailable, error,
                               directory, "cannot open the directory that machines share");
    if (error != EACCES)
      failed.sys = ETIMEDOUT;  // it is not mounted: all its locks are out of reach
    return failed;
  }
  const char* name = "";
  const os::Trust trust = os::filesystem_trust(fd.get(), &name);
  if (mount != nullptr) *mount = name;
  if (getenv(kAnyFilesystem) != nullptr) return {};
  if (name == std::string_view("nfs")) {
    const local::NfsMount found = local::nfs_mount_of(fd.get());
    if (mount != nullptr) mount->append(" ").append(found.version.view());
    if (found.fault == local::NfsFault::none) {
      if (mount != nullptr) mount->append(", hard");
      return {};
    }
    std::string what = "locks there cannot be trusted (nfs";
    if (!found.version.empty()) what.append(" ").append(found.version.view());
    what.append("): ").append(local::reason_against(found.fault));
    what.append("; mount it with -o vers=4.2,hard");
    return error_about(Code::io, 0, directory, what);
  }
  std::string what;
  if (trust == os::Trust::trusted) {
    what.append("is on a filesystem of this machine (").append(name);
    what.append("), which excludes no other machine: name a directory on NFS, or use --dir");
  } else {
    what.append("locks on this filesystem (").append(name);
    what.append(") cannot be trusted: machines share locks on NFS 4.1 and 4.2 alone");
  }
  return error_about(Code::io, 0, directory, what);
}

Status make_directory(const std::string& directory) {
  os::Fd fd;
  ScopedArena texts;
  TextView which;
  if (os::open_directory(directory.c_str(), fd) != ENOENT || !local::is_on_good_nfs(directory))
    return {};
  const int error = os::make_directories_above(directory + "/lock", texts, which);
  if (error == 0) return {};
  const bool denied = error == EACCES || error == EPERM;
  return error_about(denied ? Code::not_permitted : Code::cannot_create, error,
                     std::string(which.view()), "cannot create the directory");
}

Result<Duration> server_ahead(const std::string& path) {
  const os::Fd fd(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.open()) return Duration{};
  Duration ahead = Duration::forever();
  std::int64_t quickest = INT64_MAX;
  for (int i = 0; i < 3; ++i) {
    const timespec now_there[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
    struct stat status;
    const Instant before = os::now();
    if (futimens(fd.get(), now_there) != 0 || fstat(fd.get(), &status) != 0)
      return error_about(Code::io, errno, path, "the server's time cannot be asked for");
    const std::int64_t took = os::now().boot_ns - before.boot_ns;
    if (took >= quickest) continue;
    quickest = took;
    const std::int64_t there =
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    ahead = {there - (before.real_ns + took / 2)};
    if (took < 100'000'000) break;
  }
  return ahead;
}

Error silent(std::string_view directory) {
  Error error = error_of(Code::unavailable, ETIMEDOUT, directory);
  error.message.append(
      ": its server does not answer, or restarted and grants no lock for a minute or two");
  return error;
}

}  // namespace atmost::shared
