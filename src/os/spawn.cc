#include "spawn.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "calls.h"
#include "file.h"
#include "platform.h"
#include "self.h"
#include "signals.h"

namespace atmost::os {
namespace {

// confstr(_CS_PATH) on glibc: the search path if there is no PATH.
constexpr std::string_view kDefaultPath = "/bin:/usr/bin";
constexpr const char* kShell = "/bin/sh";

// The argument vector of a script run by the shell; see clean_up_after_execute.
void* script_argv = nullptr;
std::size_t script_argv_size = 0;

// Runs a file for which the kernel has no loader as execvp does: sh FILE ARG...
int execute_by_shell(const char* path, const Program& program) {
  std::size_t count = 0;
  while (program.argv[count] != nullptr) ++count;
  script_argv_size = (count + 2) * sizeof(char*);
  script_argv = calls.mmap(nullptr, script_argv_size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (script_argv == MAP_FAILED) {
    script_argv = nullptr;
    return ENOMEM;
  }
  const char** argv = static_cast<const char**>(script_argv);
  argv[0] = kShell;
  argv[1] = path;
  for (std::size_t i = 1; i < count; ++i) argv[i + 1] = program.argv[i];
  argv[count + 1] = nullptr;
  calls.execve(kShell, const_cast<char* const*>(argv), program.envp);
  return errno;
}

int execute_file(const char* path, const Program& program) {
  calls.execve(path, program.argv, program.envp);
  return errno == ENOEXEC ? execute_by_shell(path, program) : errno;
}

// True if the search goes on with the next folder: the file is not there, or its folder cannot be
// used.
bool look_further(int error) {
  return error == ENOENT || error == ENOTDIR || error == EACCES || error == ENAMETOOLONG ||
         error == ELOOP || error == ESTALE || error == ENODEV || error == ETIMEDOUT;
}

// Takes the first folder from `path` and makes `file` the path of `name` in it; an empty element is
// the current folder. False: it is too long.
bool next_candidate(std::string_view& path, bool& last, std::string_view name,
                    char (&file)[PATH_MAX]) {
  const std::size_t end = path.find(':') < path.size() ? path.find(':') : path.size();
  const bool fits = end + name.size() + 2 <= sizeof file;
  if (fits) {
    std::size_t size = 0;
    if (end > 0) {
      std::memcpy(file, path.data(), end);
      file[end] = '/';
      size = end + 1;
    }
    std::memcpy(file + size, name.data(), name.size());
    file[size + name.size()] = '\0';
  }
  last = end == path.size();
  if (!last) path.remove_prefix(end + 1);
  return fits;
}

int execute_by_name(std::string_view name, const Program& program) {
  std::string_view path = search_path(program.envp);
  int result = ENOENT;
  for (bool last = false; !last;) {
    char file[PATH_MAX];
    if (!next_candidate(path, last, name, file)) continue;
    const int error = execute_file(file, program);
    if (!look_further(error)) return error;
    if (error == EACCES) result = EACCES;
  }
  return result;
}

std::int64_t nanoseconds(const struct timeval& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::int64_t>(time.tv_usec) * 1000;
}

}  // namespace

int execute(const Program& program) {
  for (unsigned i = 0; i < program.inherit_count; ++i) {
    const int fd = program.inherit[i];
    if (const int error = program.apart ? lend_high(fd) : make_inheritable(fd)) return error;
  }
  if (program.output >= 0) {
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      if (calls.dup2(program.output, stream) < 0) return errno;
    }
  }
  const std::string_view name = program.argv[0];
  if (name.empty()) return ENOENT;
  if (name.find('/') < name.size()) return execute_file(program.argv[0], program);
  if (name.size() > NAME_MAX) return ENAMETOOLONG;
  return execute_by_name(name, program);
}

void clean_up_after_execute() {
  if (script_argv == nullptr) return;
  calls.munmap(script_argv, script_argv_size);
  script_argv = nullptr;
}

int become(const Program& program) {
  const int error = execute(program);
  clean_up_after_execute();
  return error;
}

std::string_view search_path(char* const* envp) {
  for (; *envp != nullptr; ++envp) {
    if (std::strncmp(*envp, "PATH=", 5) == 0) return *envp + 5;
  }
  return kDefaultPath;
}

bool is_in_path(std::string_view name, PathText* found) {
  if (name.empty() || name.find('/') < name.size() || name.size() > NAME_MAX) return false;
  std::string_view path = search_path(environment());
  for (bool last = false; !last;) {
    char file[PATH_MAX];
    struct stat status;
    if (!next_candidate(path, last, name, file)) continue;
    if (path_status(file, status, true) != 0 || !S_ISREG(status.st_mode) ||
        (status.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0)
      continue;
    if (found != nullptr) found->assign(file);
    return true;
  }
  return false;
}

Started run_to_end(const Program& program) {
  const Started started = spawn(program);
  if (started.pid == 0) return started;
  int status = 0;
  struct rusage used;
  while (calls.wait4(static_cast<pid_t>(started.pid), &status, 0, &used) < 0 && errno == EINTR) {
  }
  return started;
}

void ChildNews::read_status(int wait_status) {
  if (WIFSTOPPED(wait_status)) {
    change = Change::stopped;
    stopped_by = WSTOPSIG(wait_status);
  } else if (WIFCONTINUED(wait_status)) {
    change = Change::continued;
  } else if (WIFSIGNALED(wait_status)) {
    end.signal = WTERMSIG(wait_status);
    end.core_dumped = WCOREDUMP(wait_status);
  } else {
    end.code = WEXITSTATUS(wait_status);
  }
}

int child_news(ChildNews& to) {
  to = {};
  struct rusage used = {};
  int status = 0;
  pid_t pid;
  do {
    pid = calls.wait4(-1, &status, WNOHANG | WUNTRACED | WCONTINUED, &used);
  } while (pid < 0 && errno == EINTR);
  if (pid < 0) return errno;
  if (pid == 0) return 0;
  to.pid = pid;
  to.read_status(status);
  if (to.change == ChildNews::Change::ended) {
    to.cpu_ns = nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime);
    to.peak_kib = used.ru_maxrss;
  }
  return 0;
}

bool has_children() {
  siginfo_t info = {};
  return calls.waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

#ifdef ATMOST_OWN_PROCESS
// No destructor is needed, because our programs supervise one command and end.
Adoption::Adoption() { calls.adopt_orphans(true); }

Adoption::~Adoption() {}
#else
Adoption::Adoption() : was_on_(calls.adopts_orphans()) {
  if (!was_on_) calls.adopt_orphans(true);
}

Adoption::~Adoption() {
  if (!was_on_) calls.adopt_orphans(false);
}
#endif

void exit_now(int code) {
  calls.exit(code);
  __builtin_unreachable();
}

void end_as(const ExitStatus& status) {
  if (status.signal == 0) exit_now(status.code);
  die_of(status.signal);
  exit_now(128 + status.signal);
}

namespace {

constexpr int kStreams = 3;

}  // namespace

void close_all_but(const int* keep, unsigned count, int first) {
  int next = first;
  for (;;) {
    int nearest = INT32_MAX;
    for (unsigned i = 0; i < count; ++i) {
      if (keep[i] >= next && keep[i] < nearest) nearest = keep[i];
    }
    if (nearest == INT32_MAX) break;
    if (nearest > next) calls.close_between(next, nearest - 1);
    next = nearest + 1;
  }
  calls.close_between(next, INT32_MAX);
}

int start_detached(const Program& program, bool silent) {
  const pid_t pid = calls.fork();
  if (pid < 0) return errno;
  if (pid == 0) {
    calls.setsid();
    const int nothing = calls.openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0);
    for (int stream = 0; nothing >= 0 && stream < (silent ? kStreams : 1); ++stream)
      calls.dup2(nothing, stream);
    close_all_but(program.inherit, program.inherit_count, kStreams);
    const Started started = spawn(program);
    exit_now(started.exec_error != 0 ? started.exec_error : started.fork_error);
  }
  int status = 0;
  struct rusage used;
  pid_t ended;
  do {
    ended = calls.wait4(pid, &status, 0, &used);
  } while (ended < 0 && errno == EINTR);
  if (ended < 0) return 0;  // SIGCHLD is ignored, so that nobody knows
  return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

void await_hangup(int fd, int at_most_ms) {
  struct pollfd end = {fd, POLLIN, 0};
  (void)calls.poll(&end, 1, at_most_ms);
}

int random_bytes(void* to, std::size_t size) {
  const Fd source(calls.openat(AT_FDCWD, "/dev/urandom", O_RDONLY | O_CLOEXEC, 0));
  if (!source.open()) return errno;
  const ssize_t got = calls.read(source.get(), to, size);
  if (got < 0) return errno;
  return static_cast<std::size_t>(got) == size ? 0 : EIO;
}

}  // namespace atmost::os
