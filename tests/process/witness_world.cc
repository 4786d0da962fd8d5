#include "witness_world.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

extern char** environ;

namespace witness {
namespace {

using std::chrono::steady_clock;

// The fields of /proc/PID/stat behind the name, which may itself hold blanks and parentheses.
std::string stat_fields(pid_t pid) {
  const std::string text = read_file("/proc/" + std::to_string(pid) + "/stat");
  const auto close = text.rfind(')');
  return close == std::string::npos || close + 2 > text.size() ? std::string{}
                                                               : text.substr(close + 2);
}

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

}  // namespace

bool eventually(Bound bound, const std::function<bool()>& condition) {
  const auto end = steady_clock::now() + bound;
  for (;;) {
    if (condition()) return true;
    if (steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
}

bool stays(Bound span, const std::function<bool()>& condition) {
  return !eventually(span, [&] { return !condition(); });
}

std::string helper(const std::string& program) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / program;
}

std::string under_test(const std::string& program) {
  const char* where = std::getenv("ATMOST_BIN");
  return where != nullptr ? std::string(where) + "/" + program : helper("../../bin/" + program);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             steady_clock::now().time_since_epoch())
      .count();
}

Probe::Probe(const std::string& path) {
  fd_ = open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd_ < 0) fail(path);
}

Probe::~Probe() { close(fd_); }

std::optional<std::int64_t> Probe::first_locked(std::int64_t start, std::int64_t length) const {
  // The kernel names any of several conflicting locks; the one with nothing before it is the first.
  std::optional<std::int64_t> found;
  for (;;) {
    struct flock lock = {};
    lock.l_type = F_RDLCK;  // a read lock conflicts with write locks only: a waiter looking at a
                            // ticket is not one
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = found ? *found - start : length;
    if (found && lock.l_len == 0) return found;
    if (fcntl(fd_, F_GETLK, &lock) != 0) fail("F_GETLK");
    if (lock.l_type == F_UNLCK) return found;
    found = lock.l_start < start ? start : lock.l_start;
  }
}

unsigned Probe::slots_held(unsigned most) const {
  unsigned held = 0;
  for (unsigned slot = 1; slot <= most; ++slot) held += slot_held(slot) ? 1 : 0;
  return held;
}

World::World() {
  // The tests may run under a limit themselves; their children do not.
  for (const char* name :
       {"ATMOST_STORE", "ATMOST_HELD", "ATMOST_LOCK", "ATMOST_LOCKFILE", "ATMOST_SLOT",
        "ATMOST_SLOTS", "ATMOST_INDICES", "ATMOST_TOKEN", "ATMOST_WAITED_MS"}) {
    unsetenv(name);
  }
  setenv("ATMOST_DIR", logs.path().c_str(), 1);
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail("prctl");
}

World::~World() {
  try {
    kill_all();
  } catch (const std::exception&) {
    // Nothing more can be done; the processes' own alarms remain.
  }
}

pid_t World::start(const Argv& argv, const Streams& streams) {
  std::vector<char*> raw;
  for (const std::string& arg : argv) raw.push_back(const_cast<char*>(arg.c_str()));
  raw.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (streams.in >= 0) {
    posix_spawn_file_actions_adddup2(&actions, streams.in, 0);
  } else {
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  }
  if (streams.out >= 0) posix_spawn_file_actions_adddup2(&actions, streams.out, 1);
  if (streams.err >= 0) posix_spawn_file_actions_adddup2(&actions, streams.err, 2);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int group = own_groups ? POSIX_SPAWN_SETPGROUP : 0;
  posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK | group));

  pid_t pid = -1;
  const int error = posix_spawn(&pid, raw[0], &actions, &attributes, raw.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  errno = error;
  statuses_.erase(pid);
  std::erase(gone_, pid);
  statuses_.erase(pid);
  return pid;
}

int World::run(const Argv& argv, const Streams& streams, Bound bound) {
  const pid_t pid = start(argv, streams);
  const std::optional<int> status = wait(pid, bound);
  if (!status) {
    std::string line = "did not end in time:";
    for (const std::string& arg : argv) line += " " + arg;
    throw std::runtime_error(line);
  }
  return *status;
}

void World::take_note() {
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    statuses_[pid] = status;
    gone_.push_back(pid);
  }
}

std::vector<pid_t> World::reap() {
  take_note();
  return std::exchange(gone_, {});
}

bool World::ended(pid_t pid) {
  take_note();
  return statuses_.count(pid) != 0;
}

std::optional<int> World::wait(pid_t pid, Bound bound) {
  if (!eventually(bound, [&] { return ended(pid); })) return std::nullopt;
  return statuses_[pid];
}

std::vector<pid_t> World::children_of(pid_t pid) const {
  const std::string number = std::to_string(pid);
  std::istringstream list(read_file("/proc/" + number + "/task/" + number + "/children"));
  std::vector<pid_t> children;
  for (pid_t child; list >> child;) children.push_back(child);
  return children;
}

std::vector<pid_t> World::descendants() const {
  std::vector<pid_t> all = children_of(getpid());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (pid_t child : children_of(all[i])) all.push_back(child);
  }
  return all;
}

bool World::descends(pid_t pid) const {
  for (int depth = 0; pid > 1 && depth < 64; ++depth) {
    if (pid == getpid()) return depth > 0;
    pid = parent_of(pid);
  }
  return false;
}

bool World::signal_descendant(pid_t pid, int signal, bool await_death) {
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0) return false;
  // The number may have been given to a stranger; the descriptor cannot be, once it is known to be
  // one of ours.
  bool sent = descends(pid) && syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0) == 0;
  if (sent && await_death) {
    pollfd death{pidfd, POLLIN, 0};
    sent = poll(&death, 1, 10'000) == 1;
  }
  close(pidfd);
  return sent;
}

void World::kill_all() {
  const bool done = eventually(Bound(30'000), [&] {
    for (pid_t pid : descendants()) signal_descendant(pid, SIGKILL);
    reap();
    return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
  });
  if (!done) throw std::runtime_error("a process of the test cannot be killed");
}

std::string words(int status) {
  if (WIFEXITED(status)) return "exit " + std::to_string(WEXITSTATUS(status));
  return "signal " + std::to_string(WTERMSIG(status));
}

char state_of(pid_t pid) {
  const std::string fields = stat_fields(pid);
  return fields.empty() ? '\0' : fields[0];
}

pid_t parent_of(pid_t pid) {
  const std::string fields = stat_fields(pid);
  return fields.size() < 3 ? 0 : std::atoi(fields.c_str() + 2);
}

std::string name_of(pid_t pid) {
  std::string name = read_file("/proc/" + std::to_string(pid) + "/comm");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

bool alive(pid_t pid) {
  const char state = state_of(pid);
  return state != '\0' && state != 'Z' && state != 'X';
}

}  // namespace witness
