// The log under many processes at once: nothing is lost, nothing is torn, whatever rotates it and
// whoever dies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "reader/record.h"

namespace {

namespace fs = std::filesystem;
using atmost::history::read_line;
using atmost::history::Reading;
using atmost::history::Record;

class HistoryProcesses : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "atmost-history.XXXXXX";
    folder_ = mkdtemp(pattern.data());
    fs::create_directory(keep());
  }
  void TearDown() override {
    for (pid_t pid : running_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    fs::remove_all(folder_);
  }

  std::string log() const { return folder_ + "/history.jsonl"; }
  std::string keep() const { return folder_ + "/keep"; }

  pid_t start(long cap, long first, long count, bool small_files = false) {
    const std::string program = fs::canonical("/proc/self/exe").parent_path() / "history_writer";
    const std::string words[] = {
        program, log(), std::to_string(cap), std::to_string(first), std::to_string(count), keep()};
    const pid_t pid = fork();
    if (pid == 0) {
      if (small_files) {
        const struct rlimit limit = {100'000, 100'000};
        setrlimit(RLIMIT_FSIZE, &limit);
      }
      char* argv[7] = {};
      for (int i = 0; i < 6; ++i) argv[i] = const_cast<char*>(words[i].c_str());
      execv(argv[0], argv);
      _exit(127);
    }
    running_.push_back(pid);
    return pid;
  }

  int end_of(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    running_.erase(std::find(running_.begin(), running_.end(), pid));
    return status;
  }

  static bool has_ended(pid_t pid) {
    siginfo_t info = {};
    return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid;
  }

  // The number of times that each token was found in all generations of the log, and the number of
  // lines that were not whole.
  std::map<long, int> count(int& torn) const {
    std::map<std::pair<dev_t, ino_t>, fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      struct stat status;
      if (entry.is_regular_file() && stat(entry.path().c_str(), &status) == 0) {
        files[{status.st_dev, status.st_ino}] = entry.path();
      }
    }
    std::map<long, int> found;
    torn = 0;
    for (const auto& [inode, path] : files) {
      std::ifstream file(path, std::ios::binary);
      for (std::string line; std::getline(file, line);) {
        Record record;
        if (read_line(line, record) == Reading::whole) {
          ++found[record.number("token")];
        } else {
          ++torn;
        }
      }
    }
    return found;
  }

  // Polls, for a minute at most.
  template <class Condition>
  static bool until(Condition condition) {
    for (int i = 0; i < 6000; ++i) {
      if (condition()) return true;
      usleep(10'000);
    }
    return false;
  }

  std::string folder_;
  std::vector<pid_t> running_;
};

TEST_F(HistoryProcesses, SixtyFourWritersAndARotationEveryFewLines) {
  constexpr long kWriters = 64;
  constexpr long kEvents = 150;
  for (long i = 0; i < kWriters; ++i) start(1000, 1 + i * kEvents, kEvents);
  for (const std::vector<pid_t> all = running_; pid_t pid : all) EXPECT_EQ(end_of(pid), 0);
  int torn = 0;
  const std::map<long, int> found = count(torn);
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(found.size(), static_cast<std::size_t>(kWriters * kEvents));
  for (const auto& [token, times] : found) ASSERT_EQ(times, 1) << token;
  // A process that finds the file too long tries once to rotate it, and others write meanwhile:
  // usually more than a hundred lines, once 55.
  EXPECT_GT(std::distance(fs::directory_iterator(keep()), {}), 10);
}

TEST_F(HistoryProcesses, OthersRotateByRenaming) {
  constexpr long kWriters = 8;
  constexpr long kEvents = 2000;
  for (long i = 0; i < kWriters; ++i) start(1L << 40, 1 + i * kEvents, kEvents);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(until([&] { return fs::exists(log()) || has_ended(running_[0]); }));
    std::error_code gone;
    fs::rename(log(), keep() + "/" + std::to_string(i), gone);
  }
  for (const std::vector<pid_t> all = running_; pid_t pid : all) EXPECT_EQ(end_of(pid), 0);
  int torn = 0;
  const std::map<long, int> found = count(torn);
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(found.size(), static_cast<std::size_t>(kWriters * kEvents));
  for (const auto& [token, times] : found) ASSERT_EQ(times, 1) << token;
}

TEST_F(HistoryProcesses, OthersCopyAndTruncate) {
  std::vector<pid_t> writers;
  for (long i = 0; i < 4; ++i) writers.push_back(start(1L << 40, 1 + i * 1'000'000, 0));
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(until([&] { return fs::exists(log()) && fs::file_size(log()) > 10'000; }));
    ASSERT_EQ(truncate(log().c_str(), 0), 0);
  }
  for (pid_t pid : writers) kill(pid, SIGKILL);
  for (pid_t pid : writers) EXPECT_TRUE(WIFSIGNALED(end_of(pid)));
  // They append: no hole full of zeros, and at most the lines that were under way are not whole.
  int torn = 0;
  const std::map<long, int> found = count(torn);
  EXPECT_LE(torn, 4);
  for (const auto& [token, times] : found) ASSERT_EQ(times, 1) << token;
}

TEST_F(HistoryProcesses, WritersAreKilled) {
  for (int round = 0; round < 20; ++round) {
    const long first = 1 + round * 1'000'000;
    const pid_t pid = start(1L << 40, first, 0);
    const auto size = [&] { return fs::exists(log()) ? fs::file_size(log()) : 0; };
    const auto before = size();
    ASSERT_TRUE(until([&] { return size() > before + 5000; }));
    kill(pid, SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(end_of(pid)));
  }
  const pid_t last = start(1L << 40, 999'000'000, 1);
  EXPECT_EQ(end_of(last), 0);
  int torn = 0;
  std::map<long, int> found = count(torn);
  EXPECT_LE(torn, 20);
  EXPECT_EQ(found[999'000'000], 1);
  for (const auto& [token, times] : found) ASSERT_EQ(times, 1) << token;
  // Each of them wrote all that it had begun, but for the last one.
  for (const auto& [token, times] : found) {
    if (token % 1'000'000 > 1 && token < 999'000'000) {
      ASSERT_EQ(found.count(token - 1), 1u) << token;
    }
  }
}

TEST_F(HistoryProcesses, ALimitOnFileSizesEndsTheLogAndNotTheProcess) {
  std::vector<pid_t> writers;
  for (long i = 0; i < 4; ++i) writers.push_back(start(1L << 40, 1 + i * 1'000'000, 0, true));
  for (pid_t pid : writers) {
    const int status = end_of(pid);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 1);
  }
  EXPECT_LT(fs::file_size(log()), 100'000u);
  int torn = 0;
  EXPECT_GT(count(torn).size(), 0u);
  EXPECT_EQ(torn, 0);
}

}  // namespace
