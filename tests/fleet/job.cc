#include "job.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace fleet_kit {
namespace {

constexpr auto kLook = std::chrono::milliseconds(5);

}  // namespace

double seconds_now() {
  timespec now = {};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

Job::Job(std::vector<std::string> argv, const std::function<void()>& before) {
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  pid_ = fork();
  if (pid_ != 0) return;
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, 1);
  if (getenv("ATMOST_TEST_LOUD") == nullptr) dup2(nothing, 2);
  if (before) before();
  execvp(words[0], words.data());
  _exit(127);
}

Job::~Job() {
  if (pid_ <= 0 || code_ >= 0) return;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

int Job::wait(double seconds) {
  const double end = seconds_now() + seconds;
  while (code_ < 0) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      break;
    }
    if (seconds_now() > end) return -1;
    std::this_thread::sleep_for(kLook);
  }
  return code_;
}

std::vector<std::string> run_line(const std::string& store, const std::vector<std::string>& options,
                                  const std::string& script) {
  std::vector<std::string> line = {std::string(getenv("ATMOST_BIN")) + "/atmost", "run", "--no-history",
                                   "--store", store};
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

std::string contents(const std::string& path) {
  std::ostringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

std::string await_contents(const std::string& path, double seconds) {
  const double end = seconds_now() + seconds;
  for (;;) {
    std::string text = contents(path);
    if ((!text.empty() && text.back() == '\n') || seconds_now() > end) return text;
    std::this_thread::sleep_for(kLook);
  }
}

bool alive(pid_t pid) {
  const std::string stat = contents("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name = stat.rfind(')');
  return name != std::string::npos && stat[name + 2] != 'Z' && stat[name + 2] != 'X';
}

}  // namespace fleet_kit
