#include "present.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "core/host.h"
#include "os/fd.h"
#include "reader/value.h"

namespace atmost::report {
namespace {

std::string atmost_program() {
  const std::string beside = std::string(program_directory().view()) + "/../../bin/atmost";
  return access(beside.c_str(), X_OK) == 0 ? beside : "atmost";
}

// What the program prints on its standard output; empty if it cannot be started.
std::string output_of(const std::vector<std::string>& words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const os::Fd from(ends[0]);
  os::Fd to(ends[1]);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_addopen(&streams, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&streams, to.get(), 1);
  posix_spawn_file_actions_addopen(&streams, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &streams, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  to.reset();
  std::string output;
  if (error != 0) return output;
  char some[16384];
  for (;;) {
    const ssize_t got = read(from.get(), some, sizeof some);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    output.append(some, static_cast<std::size_t>(got));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return output;
}

// The names `lock` and `state` of one line. False: it is no such object.
bool read_line(std::string_view line, std::string& lock, std::string& state) {
  history::Cursor at(line);
  if (!at.take('{')) return false;
  bool has_lock = false;
  do {
    std::string_view name;
    history::Value value;
    if (!at.string(name) || !at.take(':') || !at.value(value)) return false;
    if (value.kind != history::Value::Kind::string) continue;
    if (name != "lock" && name != "state") continue;
    char plain[8192];
    const std::size_t size = history::unescape_json(value.raw, plain, sizeof plain);
    (name == "lock" ? lock : state).assign(plain, size);
    has_lock = has_lock || name == "lock";
  } while (at.take(','));
  return has_lock && at.take('}') && at.done();
}

}  // namespace

PresentLocks present_of(std::string_view output, const std::map<std::string, std::string>& files) {
  PresentLocks locks;
  for (const auto& [name, file] : files) locks[file];
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::string lock;
    std::string state;
    if (read_line(output.substr(0, end), lock, state)) {
      if (const auto known = files.find(lock); known != files.end()) {
        Present& present = locks[known->second];
        ++(state == "waiting" ? present.waiters : present.holders);
      }
    }
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return locks;
}

PresentLocks look_at_present(const std::vector<Summary>& locks) {
  std::map<std::string, std::string> files;
  std::vector<std::string> words = {atmost_program(), "list", "--json", "--store=file:", "--"};
  for (const Summary& lock : locks) {
    struct stat found;
    if (!lock.story->path.starts_with('/') || stat(lock.story->path.c_str(), &found) != 0) continue;
    // By its file: the history may be another directory's.
    if (files.emplace(lock.story->path, lock.story->path).second) words.push_back(lock.story->path);
  }
  return files.empty() ? PresentLocks() : present_of(output_of(words), files);
}

}  // namespace atmost::report
