// The cost of an ordinary start: its system calls, exactly, and its page faults, within a margin.
// A call is added for a reason. The number of page faults depends on the kernel, too, and on what
// of the program is in the page cache: kMargin more are admitted than were counted.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "temp_dir.h"
#include "traced_start.h"
#include "witness_world.h"

namespace {

using witness::Calls;
using witness::calls_of;
using witness::faults_of;
using witness::Words;

constexpr long kMargin = 2;

std::string difference(const Calls& expected, const Calls& seen) {
  std::string words;
  Calls all = expected;
  all.insert(seen.begin(), seen.end());
  for (const auto& [name, unused] : all) {
    const int before = expected.count(name) != 0 ? expected.at(name) : 0;
    const int now = seen.count(name) != 0 ? seen.at(name) : 0;
    if (before != now)
      words += name + ": " + std::to_string(now) + " instead of " + std::to_string(before) + "\n";
  }
  return words;
}

class Cost : public testing::Test {
 protected:
  void SetUp() override {
    run(ordinary());  // makes the files
    run(ordinary());
    run({exectimes_, lock("times"), "1", nothing_});
  }

  // Of every directory above the lock one lstat.
  int depth() const {
    const std::string path = lock("lock");
    return static_cast<int>(std::count(path.begin(), path.end(), '/'));
  }
  std::string lock(const std::string& name) const { return directory_.file(name); }
  Words ordinary() const { return {atmost_, "run", lock("lock"), nothing_}; }
  void run(const Words& words) const { (void)calls_of(words, directory_.path()); }

  // On a busy machine even this command may run for half a second, after which memory is released:
  // so one of several tries is enough.
  void costs(const Words& words, const Calls& expected, const Words& between = {}) {
    std::string wrong;
    for (int i = 0; i < 30; ++i) {
      wrong = difference(expected, calls_of(words, directory_.path()));
      if (wrong.empty()) return;
      if (!between.empty()) run(between);
    }
    EXPECT_EQ(wrong, "");
  }
  // More than a program that does nothing, its own command's included.
  void touches(const Words& words, long counted) {
    const long more =
        faults_of(words, directory_.path()) - faults_of({nothing_}, directory_.path());
    RecordProperty("page_faults", static_cast<int>(more));
    EXPECT_LE(more, counted + kMargin);
  }

  const witness::TempDir directory_;
  const std::string atmost_ = witness::under_test("atmost");
  const std::string exectimes_ = witness::under_test("exectimes");
  const std::string nothing_ = witness::helper("nothing");
};

TEST_F(Cost, Run) {
  costs(ordinary(),
        {{"arch_prctl", 1}, {"clone", 1},       {"close", 4},           {"exit_group", 1},
         {"fcntl", 6},      {"fstat", 2},       {"fstatfs", 1},         {"mmap", 1},
         {"munmap", 1},     {"openat", 4},      {"prctl", 1},           {"pread", 7},
         {"prlimit", 1},    {"pwrite", 5},      {"set_robust_list", 1}, {"set_tid_address", 1},
         {"sigaction", 1},  {"sigprocmask", 1}, {"sigtimedwait", 1},    {"lstat", depth()},
         {"statx", 6},      {"uname", 1},       {"wait4", 1},           {"waitid", 1},
         {"write", 2}});
  touches(ordinary(), 15);
}

TEST_F(Cost, RunExec) {
  const Words words = {atmost_, "run", "--exec", lock("lock"), nothing_};
  costs(words, {{"arch_prctl", 1},
                {"close", 2},
                {"execve", 1},
                {"fcntl", 6},
                {"fstat", 1},
                {"fstatfs", 1},
                {"openat", 3},
                {"pread", 4},
                {"prlimit", 1},
                {"pwrite", 1},
                {"set_tid_address", 1},
                {"lstat", depth()},
                {"statx", 3},
                {"uname", 1},
                {"write", 1}});
  touches(words, 15);
}

TEST_F(Cost, Exectimes) {
  const Words words = {exectimes_, lock("times"), "1", nothing_};
  costs(words, {{"arch_prctl", 1},
                {"close", 1},
                {"execve", 1},
                {"fcntl", 6},
                {"fstat", 1},
                {"openat", 1},
                {"pread", 3},
                {"set_tid_address", 1},
                {"lstat", depth()},
                {"statx", 1}});
  touches(words, 13);
}

// As lock_unlock.sh takes a lock for the first time: the calls until that process has ended.
TEST_F(Cost, Hold) {
  const std::string script = std::to_string(getpid());
  const Words take = {atmost_,  "hold", "--quiet",     "--no-history", "--for-pid", script,
                      "--wait", "inf",  "--keeper-to", "/dev/null",    "--",        lock("held")};
  const Words release = {atmost_, "release", "--quiet", "--for-pid", script, "--", lock("held")};
  run(take);  // makes the file
  run(release);
  costs(take,
        {{"arch_prctl", 1},
         {"close", 11},
         {"dup3", 3},
         {"exit_group", 1},
         {"fork", 1},
         {"getpid", 1},
         {"openat", 3},
         {"pidfd_open", 1},
         {"pipe2", 4},
         {"poll", 2},
         {"pread", 2},
         {"read", 2},
         {"readlink", 1},
         {"set_tid_address", 1},
         {"sigprocmask", 10},
         {"stat", 1},
         {"uname", 1},
         {"write", 2}},
        release);
  run(release);
}

TEST_F(Cost, Refusal) {
  int line[2];
  ASSERT_EQ(pipe(line), 0);
  int end[2];
  ASSERT_EQ(pipe(end), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    dup2(line[1], 1);
    dup2(end[0], 0);
    close(end[1]);
    execl(atmost_.c_str(), "atmost", "run", "--no-history", lock("lock").c_str(), "sh", "-c",
          "echo; read end", nullptr);
    _exit(127);
  }
  char started = 0;
  ASSERT_EQ(read(line[0], &started, 1), 1);
  // The holder's command line is read for the message, which names a script as list does.
  costs(ordinary(), {{"arch_prctl", 1},
                     {"close", 6},
                     {"exit_group", 1},
                     {"fcntl", 5},
                     {"fstat", 2},
                     {"fstatfs", 1},
                     {"openat", 6},
                     {"pread", 7},
                     {"prlimit", 1},
                     {"read", 2},
                     {"readlink", 1},
                     {"set_tid_address", 1},
                     {"sigprocmask", 2},
                     {"lstat", depth()},
                     {"statx", 3},
                     {"uname", 1},
                     {"waitid", 1},
                     {"write", 2}});
  touches(ordinary(), 15);
  close(end[1]);
  close(end[0]);
  waitpid(holder, nullptr, 0);
}

}  // namespace
