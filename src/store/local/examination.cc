#include "examination.h"

#include <cerrno>

#include "core/words.h"
#include "findings.h"
#include "lock_file.h"
#include "os/file.h"
#include "os/self.h"

namespace atmost::local {
namespace {

Text<300> with_reason(std::string_view what, int error) {
  Text<300> words(what);
  words.append(": ").append(errno_words(error));
  return words;
}

bool open_directory(const PathText& path, os::Fd& directory) {
  const int error = os::open_directory(path.c_str(), directory);
  if (error == 0) {
    ok("directory", "can be opened");
    return true;
  }
  std::string_view advice = "use a directory that can be read";
  if (error == ENOENT) advice = "create it first, or let the first run of a named lock do so";
  if (error == ENOTDIR) advice = "name the directory, not a file in it";
  send({Level::fail, "directory", with_reason("cannot be opened", error), {}, advice});
  return false;
}

void examine_room(int directory_fd) {
  os::Room room;
  if (const int error = os::room_left(directory_fd, room)) {
    send({Level::warn, "room", with_reason("free space cannot be told", error), {}, {}});
    return;
  }
  if (room.read_only) {
    send({Level::fail, "room", "the filesystem is read-only",
          "admissions are written to the lock file",
          "use another directory, or mount it for writing"});
    return;
  }
  constexpr std::uint64_t kLittle = 16u << 20;
  Text<200> what;
  what.append_unsigned(room.free_bytes >> 20).append(" MiB free");
  if (room.counts_files) what.append(", ").append_unsigned(room.free_files).append(" files");
  if (room.free_bytes < kLittle || (room.counts_files && room.free_files < 16)) {
    send({Level::warn, "room", what,
          "a new lock file needs room, and one that cannot be written admits nobody", "make room"});
  } else {
    ok("room", what);
  }
}

bool create(const Examination& examination, TrialFile& file) {
  file.path = examination.directory;
  file.path.append("/.atmost-doctor-")
      .append_signed(os::process_id())
      .push('-')
      .append_unsigned(os::scatter());
  send({Level::created,
        {},
        {},
        {},
        {}});  // before it is so: killed in between, nobody would remove it
  if (const int error = os::create_new(file.path.c_str(), 0600, file.fd)) {
    send({Level::fail, "create", with_reason("no file can be created there", error),
          "a lock is a file that its first user makes",
          "chmod or chown the directory, or use another"});
    return false;
  }
  const char page[4096] = {};
  if (const int error = os::write_at(file.fd.get(), page, sizeof page, 0)) {
    send({Level::fail, "create", with_reason("a new file cannot be written", error),
          "admissions are written to the lock file", "make room, or use another directory"});
    return true;
  }
  ok("create", "a file can be created and written");
  return true;
}

// What `run` would say of a lock file here: owner, links, directories that strangers may write. The
// filesystem is told of elsewhere.
void examine_permissions(const TrialFile& file) {
  LockSpec spec;
  spec.path = file.path;
  Request request;
  request.trust_fs = true;
  LockFile lock;
  const Status opened = lock.open(spec, request, LockFile::Access::modify);
  if (opened.ok()) {
    ok("permissions", "nobody else can rename or replace lock files here");
  } else {
    send({Level::fail,
          "permissions",
          opened.error().message,
          "whoever can replace a lock file can let everybody in",
          {}});
  }
}

}  // namespace

void examine(void* context) {
  const Examination& examination = *static_cast<const Examination*>(context);
  step("looking at this machine");
  examine_machine();
  step("opening the directory");
  os::Fd directory;
  if (!open_directory(examination.directory, directory)) {
    send({Level::done, {}, {}, {}, {}});
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
    examine_permissions(file);
    step("looking for other paths to it");
    examine_layers(file, directory.get());
    step("locking with two processes");
    try_locks(file, removed);
    const int error = removed ? 0 : os::remove_name(file.path.c_str());
    if (error != 0) {
      send({Level::fail,
            "remove",
            with_reason("the trial's file cannot be removed", error),
            {},
            file.path});
    }
  }
  send({Level::done, {}, {}, {}, {}});
}

}  // namespace atmost::local
