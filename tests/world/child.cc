#include "world/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

extern char** environ;

namespace world {
namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error(what + ": " + std::generic_category().message(error));
}

// A descriptor of a file with this text, to be read from its beginning.
int file_of(std::string_view text) {
  const int fd = memfd_create("input", MFD_CLOEXEC);
  if (fd < 0) fail("memfd_create", errno);
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0) fail("input of a child", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  lseek(fd, 0, SEEK_SET);
  return fd;
}

}  // namespace

Child::Child(std::vector<std::string> arguments, std::string_view input, std::chrono::seconds limit)
    : limit_(Clock::now() + limit) {
  arguments.insert(arguments.begin(), "world");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  const int in = file_of(input);
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) fail("pipe", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  const int error = posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in);
  close(out[1]);
  from_ = out[0];
  if (error != 0) {
    pid_ = 0;
    close(from_);
    fail("start of a child", error);
  }
}

Child::~Child() {
  if (pid_ != 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(from_);
}

void Child::wait() {
  Child* const only = this;
  while (!ended()) wait({&only, 1});
}

void Child::wait(std::span<Child* const> children) {
  for (;;) {
    std::vector<pollfd> fds;
    Clock::time_point first = Clock::time_point::max();
    for (const Child* child : children) {
      fds.push_back({child->from_, POLLIN, 0});
      first = std::min(first, child->limit_);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now()).count();
    poll(fds.data(), fds.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
    bool one_ended = false;
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (fds[i].revents != 0) children[i]->read();
      if (!children[i]->ended() && Clock::now() >= children[i]->limit_) {
        kill(children[i]->pid_, SIGKILL);
        children[i]->end();
        children[i]->broken_ = "hang";
      }
      one_ended |= children[i]->ended();
    }
    if (one_ended) return;
  }
}

void Child::read() {
  char some[4096];
  const ssize_t size = ::read(from_, some, sizeof some);
  if (size > 0) return static_cast<void>(output_.append(some, static_cast<std::size_t>(size)));
  if (size == 0) end();
}

void Child::end() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = 0;
  if (WIFEXITED(status))
    code_ = WEXITSTATUS(status);
  else
    broken_ = "crash";
}

}  // namespace world
