// atmost-tell: notifies others of a run. Started by atmost run (limiter/notifier.cc) when the run's
// slots are free; only the end of a service or a container waits for it.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "core/programs.h"
#include "os/file.h"
#include "os/spawn.h"
#include "ping.h"
#include "tell_request.h"

namespace atmost::tell {
namespace {

// Runs `sh -c COMMAND` in a process group of its own, with the event as one line of JSON on
// standard input. The event is never a part of the command: the shell sees no byte of it.
class Notify {
 public:
  // Does not block. REQUIRES: request.notify.
  void start(const TellRequest& request);

  // Blocks until the shell has ended. A second before the deadline the whole group gets SIGTERM,
  // and what is left at the deadline SIGKILL. Returns the reason of a failure; empty if there was
  // none.
  std::string finish(Clock::time_point deadline);

 private:
  bool ended_by(Clock::time_point moment, int& status) const;

  pid_t pid_ = -1;
  std::string trouble_;
};

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

constexpr std::size_t kMostReport = 2048;
constexpr char kNoUser[] = "the command's user cannot be set";

std::vector<std::string> split_words(const std::string& run_as) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : run_as) {
    if (c != kEndOfWord) {
      word.push_back(c);
      continue;
    }
    words.push_back(word);
    word.clear();
  }
  return words;
}

[[noreturn]] void become(const std::string& run_as, int report) {
  char own[4096];
  const ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
  if (size <= 0) _exit(126);
  own[size] = '\0';
  std::vector<std::string> words = split_words(run_as);
  words.emplace_back(own);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  setenv(std::string(kReport).c_str(), std::to_string(report).c_str(), 1);
  for (const std::string_view name : {kRunAs, kLog, kLogMode}) unsetenv(std::string(name).c_str());
  fcntl(report, F_SETFD, 0);
  execv(argv[0], argv.data());
  _exit(126);
}

// The other program's output, until it has ended.
std::string hear(int from, Clock::time_point deadline) {
  std::string heard;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    struct pollfd ready = {from, POLLIN, 0};
    if (left.count() <= 0 || poll(&ready, 1, static_cast<int>(left.count())) <= 0) return heard;
    char text[512];
    const ssize_t got = read(from, text, sizeof text);
    if (got <= 0) return heard;
    heard.append(text, static_cast<std::size_t>(got));
    if (heard.size() > kMostReport) return heard.substr(0, kMostReport);
  }
}

// Starts this program again behind the words `run_as` (core/programs.h), and logs what it reports.
// This process keeps its user, runs nothing of the other one's, and believes only two short texts.
// Blocks until that program has ended, at most until the deadline.
void tell_as(const std::string& run_as, Clock::time_point deadline) {
  os::Fd from, to;
  if (os::open_pipe(from, to) != 0) return;
  const pid_t pid = fork();
  if (pid == 0) become(run_as, to.get());
  to.reset();
  const TellRequest request = take_request(deadline);
  std::string heard = hear(from.get(), deadline);
  int status = 0;
  bool ended = false;
  while (pid > 0 && !ended && Clock::now() < deadline) {
    ended = waitpid(pid, &status, WNOHANG) != 0;
    if (!ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (pid < 0 || (ended && status != 0))
    heard += std::string(request.ping ? "ping" : "notify") + "\t" + kNoUser + "\n";
  for (std::size_t end; (end = heard.find('\n')) != heard.npos; heard.erase(0, end + 1)) {
    const std::size_t tab = heard.find('\t');
    const std::string who = heard.substr(0, tab);
    if (tab < end && (who == "ping" || who == "notify"))
      log_undelivered(request, who, heard.substr(tab + 1, end - tab - 1));
  }
}

// The ping of the end must not reach the server first. A ping of the start that takes longer than
// half of our time is likely to be given up.
void await_start(const TellRequest& request) {
  if (request.after < 0) return;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(request.deadline - Clock::now());
  os::await_hangup(request.after, static_cast<int>(left.count() / 2));
}

int deliver() {
  // A service or a container waits for 10 s.
  constexpr auto kAtMost = std::chrono::milliseconds(9700);
  constexpr auto kStart = std::chrono::milliseconds(200);
  const Clock::time_point deadline = Clock::now() + kAtMost;
  if (const std::optional<std::string> run_as = take(kRunAs)) {
    signal(SIGPIPE, SIG_IGN);
    tell_as(*run_as, deadline + kStart);
    return 0;
  }
  const TellRequest request = take_request(deadline);
  if (request.line.empty()) {
    std::fputs("atmost-tell: is started by atmost run, with --notify or --ping\n", stderr);
    return 64;
  }
  signal(SIGPIPE, SIG_IGN);
  // The ping may take all the time there is: a command of --notify runs meanwhile.
  Notify notify;
  if (request.notify) notify.start(request);
  if (request.ping) {
    await_start(request);
    const std::string trouble = send_ping(request, request.deadline);
    if (!trouble.empty()) log_undelivered(request, "ping", trouble);
  }
  if (request.notify) {
    const std::string trouble = notify.finish(request.deadline);
    if (!trouble.empty()) log_undelivered(request, "notify", trouble);
  }
  return 0;
}

}  // namespace

}  // namespace atmost::tell

int main() { return atmost::tell::deliver(); }
