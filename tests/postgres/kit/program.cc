#include "program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace postgres_kit {

Program::Program(const Argv& argv, const std::string& output) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ != 0) {
    setpgid(pid_, pid_);
    return;
  }
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(126);
  const int in = open("/dev/null", O_RDONLY);
  dup2(in, 0);
  if (!output.empty()) {
    const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, 1);
    dup2(out, 2);
  }
  execv(words[0], words.data());
  _exit(127);
}

Program::~Program() {
  if (code_) return;
  signal_group(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Program::signal_group(int signal) const {
  if (!code_) kill(-pid_, signal);  // not reaped: the number is still this group's
}

std::optional<int> Program::wait(double seconds) {
  const auto ended = [this] {
    int status = 0;
    if (!code_ && waitpid(pid_, &status, WNOHANG) == pid_) {
      code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    return code_.has_value();
  };
  (void)eventually(seconds, ended);
  return code_;
}

std::string atmost() {
  const char* bin = std::getenv("ATMOST_BIN");
  return bin != nullptr ? std::string(bin) + "/atmost" : beside("../../bin/atmost");
}

std::string beside(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string() + "/" + name;
}

bool eventually(double seconds, const std::function<bool()>& condition) {
  const double end = seconds_now() + seconds;
  while (!condition()) {
    if (seconds_now() > end) return condition();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string contents(const std::string& path) {
  std::ostringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

}  // namespace postgres_kit
