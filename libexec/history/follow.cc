#include "follow.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <filesystem>

namespace atmost::history {

Growth::Growth(const std::vector<std::string>& logs)
    : inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (!inotify_.open()) return;
  for (const std::string& log : logs) {
    const std::string directory = std::filesystem::path(log).parent_path();
    inotify_add_watch(inotify_.get(), directory.c_str(),
                      IN_MODIFY | IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO);
  }
}

void Growth::wait() {
  constexpr int kLookAnywayMs = 1000;
  struct pollfd ready = {inotify_.get(), POLLIN, 0};
  if (poll(&ready, 1, kLookAnywayMs) <= 0) return;
  char events[16 * 1024];
  while (read(inotify_.get(), events, sizeof events) > 0) {
  }
}

}  // namespace atmost::history
