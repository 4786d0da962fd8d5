#include "notices.h"

#include <cerrno>

#include "core/words.h"
#include "os/file.h"
#include "os/locks.h"
#include "os/self.h"
#include "os/spawn.h"
#include "run/run.h"

namespace atmost::limiter {
namespace {

bool is_directory(const char* path) {
  struct stat status;
  return os::path_status(path, status, true) == 0 && S_ISDIR(status.st_mode);
}

// True if the first line is one of an interpreter and ends as lines of Windows do: the kernel takes
// the carriage return for a part of the interpreter's name.
bool ends_in_carriage_return(const char* path) {
  os::Fd file;
  char start[256];
  std::size_t got = 0;
  if (os::open_to_read(path, file) != 0 ||
      os::read_at(file.get(), start, sizeof start, 0, got) != 0)
    return false;
  const std::string_view text(start, got);
  const std::size_t end = text.find('\n');
  return text.find("#!") == 0 && end < text.size() && text[end - 1] == '\r';
}

// A file that is there, and of which execve(2) says that something is missing.
void append_interpreter(const char* path, Error& error) {
  if (!ends_in_carriage_return(path)) {
    error.message.append(" (the interpreter that its first line names)");
    return;
  }
  error.message
      .append(
          " (the interpreter that its first line names, with a carriage return at its end: "
          "dos2unix ")
      .append(path)
      .push(')');
}

}  // namespace

Error not_started(const Command& command, int error) {
  constexpr std::size_t kShown = 200;
  const std::string_view name = command.argv[0];
  Error failed =
      error_of(run::exec_code(error), error, name.empty() ? "\"\", an empty COMMAND" : name);
  failed.message.append(": ").append(errno_words(error));
  if (name.starts_with('-')) {
    failed.message.append(" (options come before LOCK)");
  } else if (error == EACCES && os::exists(command.argv[0])) {
    failed.message.append(is_directory(command.argv[0])
                              ? " (a directory)"
                              : " (not executable: chmod +x, or sh FILE for a script)");
  } else if (error == ENOENT && name.find('/') != std::string_view::npos) {
    if (os::exists(command.argv[0])) append_interpreter(command.argv[0], failed);
  } else if (PathText found; error == ENOENT && os::is_in_path(name, &found)) {
    append_interpreter(found.c_str(), failed);
  } else if (error == ENOENT && !name.empty()) {
    // That of cron and of services is shorter than a user's.
    const std::string_view path = os::search_path(os::environment());
    failed.message.append(" in PATH (")
        .append({path.data(), whole_characters(path, kShown)})
        .append(path.size() > kShown ? "...)" : ")");
  }
  return failed;
}

Error no_process(int error) {
  Error failed = error_of(Code::internal, error, "cannot start a process: ");
  failed.message.append(errno_words(error));
  return failed;
}

namespace {

void warn(const LockSpec& lock, const os::LockLine& flock, Observer& observer) {
  Error words = error_of(Code::busy, 0, lock.name);
  words.message.append(": ");
  if (flock.pid > 0) {
    words.message.append("process ").append_signed(flock.pid);
  } else {
    words.message.append("a process not visible from here");
  }
  words.message.append(
      " holds a flock(2) lock on it, which does not exclude atmost: use --with-flock as long as "
      "others use "
      "flock(1)");
  observer.warning(words);
}

}  // namespace

void notice_flocks(const Request& request, const Lease& lease, Observer* observer) {
  for (std::uint32_t i = 0; observer != nullptr && !request.with_flock && i < request.lock_count;
       ++i) {
    const HeldLock& held = lease.lock(i);
    if (!held.was_empty) continue;
    struct stat status;
    if (os::file_status(held.fd, status) != 0) continue;
    const auto device = static_cast<std::uint64_t>(status.st_dev);
    const auto inode = static_cast<std::uint64_t>(status.st_ino);
    os::LockLine flock;
    // A flock(2) above this run is intended: flock(1) that runs atmost keeps out other callers of
    // flock(1).
    if (os::find_flock(device, inode, flock) && !os::flock_above(os::process_id(), device, inode))
      warn(request.locks[i], flock, *observer);
  }
}

}  // namespace atmost::limiter
