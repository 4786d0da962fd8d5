// atmost doctor shared:/DIRECTORY: tests if machines can share locks there.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "core/words.h"
#include "diagnosis/findings.h"
#include "directory.h"
#include "os/byte_lock.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/file.h"
#include "store.h"

namespace atmost::shared {
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
