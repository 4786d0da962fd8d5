#include "examination.h"

#include <sys/stat.h>

#include <cerrno>

#include "core/words.h"
#include "message.h"
#include "os/above.h"
#include "os/file.h"
#include "os/locks.h"
#include "os/self.h"
#include "store/local/lock_file.h"

namespace atmost::doctor {
namespace {

std::string with_reason(const std::string& what, int error) {
  return what + ": " + std::string(errno_words(error));
}

bool open_directory(const std::string& path, os::Fd& directory) {
  const int error = os::open_directory(path.c_str(), directory);
  if (error == 0) {
    report_good("directory", "can be opened");
    return true;
  }
  std::string_view advice = "use a directory that can be read";
  if (error == ENOENT) advice = "create it first, or let the first run of a named lock do so";
  if (error == ENOTDIR) advice = "name the directory, not a file in it";
  send({Level::bad, "directory", with_reason("cannot be opened", error), {}, advice});
  return false;
}

void examine_room(int directory_fd) {
  os::Room room;
  if (const int error = os::room_left(directory_fd, room)) {
    send({Level::doubtful, "room", with_reason("the free space is not known", error), {}, {}});
    return;
  }
  if (room.read_only) {
    send({Level::bad, "room", "the filesystem is read-only",
          "admissions are written to the lock file",
          "use another directory, or mount it for writing"});
    return;
  }
  constexpr std::uint64_t kLittle = 16u << 20;
  std::string what = std::to_string(room.free_bytes >> 20) + " MiB free";
  if (room.counts_files) what += ", " + std::to_string(room.free_files) + " files";
  if (room.free_bytes < kLittle || (room.counts_files && room.free_files < 16)) {
    send({Level::doubtful, "room", what,
          "a new lock file needs room, and one that cannot be written admits nobody", "make room"});
  } else {
    report_good("room", what);
  }
}

bool create(const Examination& examination, TrialFile& file) {
  file.path = examination.directory + "/.atmost-doctor-" + std::to_string(os::process_id()) + "-" +
              std::to_string(os::scatter());
  // Reported before the file is created, so that the parent never kills a child that has a file to
  // remove.
  send(Message::Kind::created);
  if (const int error = os::create_new(file.path.c_str(), 0600, file.fd)) {
    send({Level::bad, "create", with_reason("no file can be created there", error),
          "a lock is a file that its first user makes",
          "chmod or chown the directory, or use another"});
    return false;
  }
  const char page[4096] = {};
  if (const int error = os::write_at(file.fd.get(), page, sizeof page, 0)) {
    send({Level::bad, "create", with_reason("a new file cannot be written", error),
          "admissions are written to the lock file", "make room, or use another directory"});
    return true;
  }
  file.written = true;
  report_good("create", "a file can be created and written");
  return true;
}

// Borrows the path.
LockSpec lock_at(const std::string& path) {
  LockSpec spec;
  spec.path = TextView::of(path);
  return spec;
}

// On any filesystem: examine_mount judges that.
Status open_lock(const LockSpec& spec, local::LockFile::Access access, local::LockFile& lock) {
  Request request;
  request.trust_fs = true;
  return lock.open(spec, request, access);
}

// A group that may write the directory is trusted with the locks in it.
std::string who_can_rename(const std::string& directory) {
  struct stat status;
  const bool group_can = os::path_status(directory.c_str(), status, true) != 0 ||
                         ((status.st_mode & S_IWGRP) != 0 && (status.st_mode & S_ISVTX) == 0);
  return (group_can ? "nobody but members of its group" : "nobody else") +
         std::string(" can rename or replace lock files here, and their limits of record");
}

// Reports each fault for which `run` would refuse a lock file here: owner, links, directories that
// other users may write.
void examine_permissions(const Examination& examination, const TrialFile& file) {
  const LockSpec spec = lock_at(file.path);
  local::LockFile lock;
  const Status opened = open_lock(spec, local::LockFile::Access::modify, lock);
  if (opened.ok()) {
    report_good("permissions", who_can_rename(examination.directory));
  } else {
    send({Level::bad,
          "permissions",
          opened.error().message,
          "a user who can replace a lock file, or its limit of record, can admit any caller",
          {}});
  }
}

}  // namespace

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  (void)os::visit_names(
      directory.c_str(),
      [](void* context, std::string_view name) {
        static_cast<std::vector<std::string>*>(context)->emplace_back(name);
      },
      &names);
  return names;
}

bool is_lock_file(const std::string& path, bool could_be) {
  const LockSpec spec = lock_at(path);
  local::LockFile file;
  return open_lock(spec, local::LockFile::Access::look, file).ok() && file.present() &&
         file.refresh().ok() && (could_be || file.state() == local::HeaderState::good);
}

void examine(void* context) {
  const Examination& examination = *static_cast<const Examination*>(context);
  step("looking at this machine");
  examine_machine();
  step("opening the directory");
  os::Fd directory;
  if (!open_directory(examination.directory, directory)) {
    send(Message::Kind::done);
    return;
  }
  step("asking what filesystem it is");
  examine_mount(examination.directory, directory.get());
  examine_room(directory.get());
  step("looking for locks of flock(1)");
  examine_flocks(examination.directory);
  step("looking for lock files that others may read");
  examine_readers(examination.directory);
  step("creating a file");
  TrialFile file;
  if (create(examination, file)) {
    bool removed = false;
    step("examining the directories above it");
    examine_permissions(examination, file);
    step("looking for other paths to it");
    examine_layers(file, directory.get());
    step("locking with two processes");
    try_locks(file, removed);
    const int error = removed ? 0 : os::remove_name(file.path.c_str());
    if (error != 0) {
      send({Level::bad,
            "remove",
            with_reason("the trial's file cannot be removed", error),
            {},
            file.path});
    }
  }
  send(Message::Kind::done);
}

namespace {

struct Flocks final : os::FlockVisitor {
  bool flock(const os::LockLine& line) override {
    lines.push_back(line);
    return true;
  }
  std::vector<os::LockLine> lines;
};

// The flock on the file, if it has one.
const os::LockLine* flock_on(const std::string& path, const std::vector<os::LockLine>& lines) {
  struct stat status;
  if (os::path_status(path.c_str(), status, false) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  for (const os::LockLine& line : lines) {
    if (os::is_about(line, static_cast<std::uint64_t>(status.st_dev),
                     static_cast<std::uint64_t>(status.st_ino)))
      return &line;
  }
  return nullptr;
}

}  // namespace

void examine_flocks(const std::string& directory) {
  Flocks flocks;
  if (os::each_flock(flocks) != 0) return;  // without /proc: examine_machine reports that
  bool any = false;
  if (!flocks.lines.empty()) {
    for (const std::string& name : names_in(directory)) {
      const std::string path = directory + "/" + name;
      const os::LockLine* const line = flock_on(path, flocks.lines);
      if (line == nullptr || !is_lock_file(path, true)) continue;
      any = true;
      std::string what = name + " is locked by flock(2)";
      if (line->pid > 0) what += ", by process " + std::to_string(line->pid);
      send({Level::doubtful, "flock", what, "flock(1) and atmost do not exclude one another there",
            "use atmost run --with-flock until nobody uses flock(1) on it"});
    }
  }
  if (!any) report_good("flock", "no file here that is or could be a lock has a flock(2)");
}

namespace {

// In a directory that a group shares, its members use the locks on purpose.
bool others_may_read(const std::string& path) {
  struct stat status;
  if (os::path_status(path.c_str(), status, false) != 0 || !S_ISREG(status.st_mode)) return false;
  std::uint32_t group = 0;
  const bool shared = os::is_shared_by_group(path.c_str(), group) && status.st_gid == group;
  return (status.st_mode & (shared ? S_IROTH : S_IRGRP | S_IROTH)) != 0;
}

}  // namespace

void examine_readers(const std::string& directory) {
  std::vector<std::string> found;
  for (const std::string& name : names_in(directory)) {
    const std::string path = directory + "/" + name;
    if (others_may_read(path) && is_lock_file(path, false)) found.push_back(name);
  }
  if (found.empty()) {
    report_good("readers", "no lock file here may be read by others than its owner");
    return;
  }
  std::string what = found[0];
  if (found.size() > 1) what += " and " + std::to_string(found.size() - 1) + " more";
  send({Level::doubtful, "readers", what + " may be read by others than the owner",
        "a user who may read a lock file may lock it and keep everybody out",
        "chmod go-rw it, unless those may use the lock"});
}

}  // namespace atmost::doctor
