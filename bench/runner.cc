#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "bench.h"

extern char** environ;

namespace bench {

std::int64_t time_run(const Argv& argv, int* status) {
  std::vector<char*> raw;
  for (const std::string& arg : argv) raw.push_back(const_cast<char*>(arg.c_str()));
  raw.push_back(nullptr);
  const std::int64_t begin = witness::now_ns();
  pid_t pid = -1;
  const int error = posix_spawn(&pid, raw[0], nullptr, nullptr, raw.data(), environ);
  if (error != 0) throw std::runtime_error(argv[0] + ": " + std::strerror(error));
  int ended = 0;
  while (waitpid(pid, &ended, 0) < 0 && errno == EINTR) {
  }
  const std::int64_t end = witness::now_ns();
  if (status != nullptr) *status = ended;
  return end - begin;
}

std::int64_t count_calls(const Options& options, const Argv& argv) {
  const std::string strace = find_program("strace");
  if (strace.empty()) return -1;
  const std::string file = options.directory + "/calls";
  Argv traced{strace, "-f", "-c", "-o", file};
  traced.insert(traced.end(), argv.begin(), argv.end());
  time_run(traced);
  // The last line: share, seconds, µs per call, calls, errors if there were any, "total".
  std::istringstream lines(witness::read_file(file));
  std::int64_t calls = -1;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("total") == std::string::npos) continue;
    std::istringstream words(line);
    std::string share, seconds, each;
    words >> share >> seconds >> each >> calls;
  }
  return calls;
}

std::string find_program(const std::string& name) {
  const char* path = getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = folder + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace bench
