#include "directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include "core/parse.h"
#include "core/words.h"
#include "diagnosis/findings.h"
#include "os/above.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/locks.h"
#include "store.h"
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

// atmost doctor shared:/DIRECTORY.
namespace {

using diagnosis::Findings;
using diagnosis::Level;
using diagnosis::millis;

constexpr Duration kPatience = Duration::seconds(10);

// The worker's finding; it may find it too late.
struct Trial {
  Status directory;
  std::string mount;
  std::string failed;  // a call that failed, in words
  Code failure = Code::io;
  bool squashed = false;  // the server gave the file that we made to another user
  bool excludes = false;
  bool free_again = false;
  std::int64_t lock_ns = 0;
  std::int64_t write_ns = 0;
  Duration server_ahead;
};

bool fails(Trial& trial, const char* what, int error) {
  if (error == 0) return false;
  trial.failed = std::string(what) + ": " + std::string(errno_words(error));
  return true;
}

// Two descriptions of one file are two owners of locks, as two machines are.
void try_locks(const std::string& path, Trial& trial) {
  const os::Fd one(open(path.c_str(), O_RDWR | O_CLOEXEC));
  const os::Fd two(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (fails(trial, "a new file cannot be opened", one.open() && two.open() ? 0 : errno)) return;
  const auto lock = [](const os::Fd& fd) {
    return os::try_lock(fd.get(), os::Owner::description, os::LockKind::write, {0, 1});
  };
  const std::int64_t start = os::boot_ns();
  if (fails(trial, "a lock cannot be taken", lock(one))) return;
  trial.lock_ns = os::boot_ns() - start;
  trial.excludes = lock(two) == EAGAIN;
  const std::int64_t wrote = os::boot_ns();
  if (fails(trial, "a write fails", os::write_at(one.get(), "atmost", 6, 0))) return;
  if (fails(trial, "what was written does not reach the disk", os::sync_data(one.get()))) return;
  trial.write_ns = os::boot_ns() - wrote;
  os::unlock(one.get(), os::Owner::description, {0, 1});
  trial.free_again = lock(two) == 0;
}

void examine(const std::string& directory, Trial& trial) {
  trial.directory = check_directory(directory, &trial.mount);
  if (!trial.directory.ok()) return;
  std::string path = directory + "/.doctor-XXXXXX";
  const os::Fd made(mkostemp(path.data(), O_CLOEXEC));
  const int error = made.open() ? 0 : errno;
  if (fails(trial, "a file cannot be made", error)) {
    trial.failure = error == EACCES || error == EPERM ? Code::not_permitted : Code::cannot_create;
    return;
  }
  struct stat status;
  trial.squashed = fstat(made.get(), &status) == 0 && status.st_uid != geteuid();
  try_locks(path, trial);
  const Result<Duration> ahead = server_ahead(path);
  if (ahead.ok()) trial.server_ahead = ahead.value();
  if (trial.failed.empty() && !ahead.ok()) trial.failed = std::string(ahead.error().message.view());
  if (unlink(path.c_str()) != 0 && trial.failed.empty())
    fails(trial, "a file cannot be removed", errno);
}

void tell(const Trial& trial, const std::string& directory, Findings& findings) {
  findings.about("mount");
  findings.say(Level::good, directory + " is on " + trial.mount);
  findings.about("locks");
  if (!trial.failed.empty()) {
    findings.say(Level::bad, trial.failed, trial.failure);
    return;
  }
  if (!trial.excludes || !trial.free_again) {
    findings.say(Level::bad,
                 trial.excludes ? "a lock that was given back stays taken"
                                : "two descriptors have the same lock at once",
                 Code::io);
    return;
  }
  findings.say(Level::good,
               "a lock excludes another descriptor; taken in " + millis(trial.lock_ns));
  if (trial.squashed) {
    findings.about("user");
    findings.say(Level::doubtful,
                 "the server gives what this user makes to another one (root_squash): make the "
                 "lock file with --mode 666, run as another user, or export with no_root_squash");
  }
  findings.about("write");
  findings.say(Level::good, "a heartbeat is on the server's disk after " + millis(trial.write_ns));
  findings.about("clock");
  findings.say(std::abs(trial.server_ahead.ns) <= kClocksAgree.ns ? Level::good : Level::bad,
               "this machine's clock and the server's differ by " +
                   std::string(duration_words({std::abs(trial.server_ahead.ns)}).view()) +
                   "; intervals, rates and ages go by it",
               Code::unavailable);
  findings.about("lease");
  findings.say(Level::good,
               "the server frees the locks of a machine that it has not heard of for its lease, "
               "which no client can read: on a Linux server it is in "
               "/proc/fs/nfsd/nfsv4leasetime (90 s unless set), and has to be longer than --ttl");
}

}  // namespace

Result<Code> diagnose(std::string_view url, int fd, bool json) {
  const Result<std::string> directory = directory_of(url);
  if (!directory.ok()) return directory.error();
  Findings findings(fd, json, std::string(url));
  const auto trial = std::make_shared<Trial>();
  Worker worker;
  const Worker::Ran ran = worker.run([trial, where = directory.value()] { examine(where, *trial); },
                                     plus(os::boot_ns(), kPatience));
  if (ran != Worker::Ran::done) {
    findings.say(Level::bad, std::string(silent(directory.value()).message.view()));
  } else if (!trial->directory.ok()) {
    findings.about("mount");
    const Error& error = trial->directory.error();
    findings.say(Level::bad, std::string(error.message.view()), error.code);
  } else {
    tell(*trial, directory.value(), findings);
  }
  return findings.verdict();
}

}  // namespace atmost::shared
