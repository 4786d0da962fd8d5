#include "notify.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "os/fd.h"
#include "os/file.h"

namespace atmost::tell {
namespace {

constexpr auto kGrace = std::chrono::seconds(1);
constexpr auto kLook = std::chrono::milliseconds(10);

// The event, to be read from its beginning.
os::Fd event_file(const TellRequest& request) {
  std::string text = "{\"notify\":\"" + request.event + "\"";
  if (request.line.size() > 1) text += "," + request.line.substr(1);
  text += "\n";
  os::Fd file(memfd_create("event", MFD_CLOEXEC));
  if (file.open() && os::write_all(file.get(), text.data(), text.size()) == 0)
    lseek(file.get(), 0, SEEK_SET);
  return file;
}

[[noreturn]] void become_shell(const std::string& command, int input) {
  setpgid(0, 0);
  signal(SIGPIPE, SIG_DFL);
  dup2(input, 0);
  execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

void Notify::start(const TellRequest& request) {
  const os::Fd event = event_file(request);
  pid_ = event.open() ? fork() : -1;
  if (pid_ == 0) become_shell(*request.notify, event.get());
  if (pid_ < 0) trouble_ = std::string("cannot start a process: ") + strerror(errno);
  if (pid_ > 0) setpgid(pid_, pid_);
}

bool Notify::ended_by(Clock::time_point moment, int& status) const {
  for (;;) {
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended == pid_ || (ended < 0 && errno != EINTR)) return true;
    if (Clock::now() >= moment) return false;
    std::this_thread::sleep_for(kLook);
  }
}

std::string Notify::finish(Clock::time_point deadline) {
  if (pid_ <= 0) return trouble_;
  int status = 0;
  const bool in_time = ended_by(deadline - kGrace, status);
  if (!in_time) {
    kill(-pid_, SIGTERM);
    if (!ended_by(deadline, status)) kill(-pid_, SIGKILL);
    return "the command took too long and was stopped";
  }
  if (WIFSIGNALED(status))
    return "the command was ended by signal " + std::to_string(WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    return "the command exited with " + std::to_string(WEXITSTATUS(status));
  return {};
}

}  // namespace atmost::tell
