#include "other_user.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "core/tell.h"
#include "os/fd.h"
#include "os/file.h"
#include "undelivered.h"

namespace atmost::tell {
namespace {

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

}  // namespace

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

}  // namespace atmost::tell
