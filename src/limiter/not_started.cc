#include "not_started.h"

#include <cerrno>

#include "core/words.h"
#include "os/file.h"
#include "os/self.h"
#include "os/spawn.h"
#include "run/run.h"

namespace atmost::limiter {
namespace {

bool is_directory(const char* path) {
  struct stat status;
  return os::path_status(path, status, true) == 0 && S_ISDIR(status.st_mode);
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
    if (os::exists(command.argv[0]))
      failed.message.append(" (the interpreter that its first line names)");
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

}  // namespace atmost::limiter
