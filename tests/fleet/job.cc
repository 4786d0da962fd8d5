#include "job.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

namespace fleet_kit {
namespace {

constexpr auto kLook = std::chrono::milliseconds(5);

void open_streams() {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, 0);
  dup2(nothing, 1);
  if (getenv("ATMOST_TEST_LOUD") == nullptr) dup2(nothing, 2);
}

void append_streams_to(const std::string& path) {
  if (path.empty()) return;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dup2(file, 1);
  dup2(file, 2);
}

}  // namespace

Job::Job(Argv argv, const std::function<void()>& before) {
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) {
    perror("fork");
    abort();
  }
  if (pid_ > 0) {
    setpgid(pid_,
            pid_);  // as in the child: the first of the two does it before either goes on
    return;
  }
  setpgid(0, 0);
  open_streams();
  if (before) before();
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // after `before`, for a change of user would undo it
  if (getppid() != parent) _exit(126);
  execvp(words[0], words.data());
  _exit(127);
}

Job::Job(Argv argv, const std::string& output)
    : Job(std::move(argv), [&output] { append_streams_to(output); }) {}

Job::~Job() {
  if (pid_ <= 0 || code_) return;
  signal_group(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Job::signal_group(int signal) const {
  if (pid_ > 0 && !code_) kill(-pid_, signal);
}

std::optional<int> Job::wait(double seconds) {
  (void)eventually(seconds, [this] {
    int status = 0;
    if (!code_ && waitpid(pid_, &status, WNOHANG) == pid_) {
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return code_.has_value();
  });
  return code_;
}

std::string atmost_program() {
  const char* bin = getenv("ATMOST_BIN");
  return bin != nullptr ? std::string(bin) + "/atmost" : beside("../../bin/atmost");
}

std::string beside(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string() + "/" + name;
}

Argv run_line(const std::string& store, const Argv& options, const std::string& script) {
  Argv line = {atmost_program(), "run", "--no-history", "--store", store};
  line.insert(line.end(), options.begin(), options.end());
  line.insert(line.end(), {"lock", "sh", "-c", script});
  return line;
}

Said shell(const std::string& line) {
  Said said;
  const double begun = seconds_now();
  FILE* const pipe = popen(("exec 2>&1; " + line).c_str(), "r");
  if (pipe == nullptr) return said;
  char part[4096];
  while (const std::size_t got = fread(part, 1, sizeof part, pipe)) said.words.append(part, got);
  const int status = pclose(pipe);
  said.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  said.seconds = seconds_now() - begun;
  return said;
}

double seconds_now() {
  timespec now = {};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double within(double seconds) {
  return getenv("ATMOST_TESTS_TIMED") != nullptr ? seconds : seconds + 30;
}

bool eventually(double seconds, const std::function<bool()>& condition) {
  const double end = seconds_now() + seconds;
  for (;;) {
    const bool last = seconds_now() >= end;
    if (condition()) return true;
    if (last) return false;
    std::this_thread::sleep_for(kLook);
  }
}

std::string contents(const std::string& path) {
  std::ostringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

std::string await_contents(const std::string& path, double seconds) {
  std::string text;
  (void)eventually(seconds, [&] {
    text = contents(path);
    return text.ends_with('\n');
  });
  return text;
}

bool alive(pid_t pid) {
  const std::string stat = contents("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name = stat.rfind(')');
  return name != std::string::npos && stat[name + 2] != 'Z' && stat[name + 2] != 'X';
}

}  // namespace fleet_kit
