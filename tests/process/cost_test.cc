// What an ordinary start costs: its system calls, exactly, and its page faults, within a margin.
// A call is added for a reason. The number of page faults depends on the kernel, too, and on what
// of the program is in the page cache: kMargin more are admitted than were counted.
#include <gtest/gtest.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "temp_dir.h"
#include "witness_world.h"

namespace {

using Calls = std::map<std::string, int>;
using Words = std::vector<std::string>;

constexpr long kMargin = 2;

std::string name_of(unsigned long number) {
  static const std::map<unsigned long, std::string> kNames = {
      {SYS_arch_prctl, "arch_prctl"},
      {SYS_clone, "clone"},
      {SYS_close, "close"},
      {SYS_dup3, "dup3"},
      {SYS_execve, "execve"},
      {SYS_exit_group, "exit_group"},
      {SYS_fcntl, "fcntl"},
      {SYS_fork, "fork"},
      {SYS_fstat, "fstat"},
      {SYS_fstatfs, "fstatfs"},
      {SYS_getpid, "getpid"},
      {SYS_lstat, "lstat"},
      {SYS_mmap, "mmap"},
      {SYS_munmap, "munmap"},
      {SYS_open, "open"},
      {SYS_openat, "openat"},
      {SYS_prctl, "prctl"},
      {SYS_pidfd_open, "pidfd_open"},
      {SYS_pipe2, "pipe2"},
      {SYS_poll, "poll"},
      {SYS_pread64, "pread"},
      {SYS_prlimit64, "prlimit"},
      {SYS_pwrite64, "pwrite"},
      {SYS_read, "read"},
      {SYS_readlink, "readlink"},
      {SYS_rt_sigaction, "sigaction"},
      {SYS_rt_sigpending, "sigpending"},
      {SYS_rt_sigprocmask, "sigprocmask"},
      {SYS_rt_sigtimedwait, "sigtimedwait"},
      {SYS_set_robust_list, "set_robust_list"},
      {SYS_set_tid_address, "set_tid_address"},
      {SYS_stat, "stat"},
      {SYS_statx, "statx"},
      {SYS_uname, "uname"},
      {SYS_wait4, "wait4"},
      {SYS_waitid, "waitid"},
      {SYS_write, "write"},
  };
  const auto found = kNames.find(number);
  return found != kNames.end() ? found->second : "call " + std::to_string(number);
}

// How many bytes of words a program finds above its stack: fewer than most environments have.
constexpr std::size_t kWordBytes = 1536;

// As a child: becomes the program, with the environment of a test, every address where it always is
// and the stack where it always begins: how many pages it touches depends on both.
[[noreturn]] void become(const Words& words, const std::string& directory, bool traced) {
  const std::string place = "ATMOST_DIR=" + directory;
  const std::string path = "PATH=/usr/bin:/bin";
  std::string filler = "FILLER=";
  std::size_t bytes = place.size() + path.size() + filler.size() + 3 + words[0].size() + 1;
  std::vector<char*> argv;
  for (const std::string& word : words) {
    argv.push_back(const_cast<char*>(word.c_str()));
    bytes += word.size() + 1;
  }
  argv.push_back(nullptr);
  filler.resize(filler.size() + kWordBytes - std::min(bytes, kWordBytes), '-');
  char* environment[] = {const_cast<char*>(path.c_str()), const_cast<char*>(place.c_str()),
                         filler.data(), nullptr};
  personality(ADDR_NO_RANDOMIZE);
  if (freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
  if (traced) ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  execve(argv[0], argv.data(), environment);
  _exit(127);
}

// The calls of that process alone, until it ends or becomes something else. Not those that ask a
// clock: in most places no call is needed for it.
Calls calls_of(const Words& words, const std::string& directory) {
  const pid_t child = fork();
  if (child == 0) become(words, directory, true);
  Calls calls;
  int status = 0;
  waitpid(child, &status, 0);
  ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC);
  int deliver = 0;
  for (;;) {
    ptrace(PTRACE_SYSCALL, child, nullptr, deliver);
    deliver = 0;
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) return calls;
    if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
      ptrace(PTRACE_DETACH, child, nullptr, 0);
      waitpid(child, &status, 0);
      return calls;
    }
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
      deliver = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
      continue;
    }
    struct __ptrace_syscall_info info = {};
    ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), child, sizeof info, &info);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr != SYS_clock_gettime)
      ++calls[name_of(info.entry.nr)];
  }
}

// The 8th field of /proc/PID/stat after the name, and the 9th: minor faults of the process, and of
// the children that it waited for.
long faults_so_far(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream rest(text.substr(text.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 7; ++i) rest >> skipped;
  long own = 0;
  long waited_for = 0;
  rest >> own >> waited_for;
  return own + waited_for;
}

// From the moment at which the process has become the program until its end, so that a fork's own
// faults are not among them.
long faults_of_one(const Words& words, const std::string& directory) {
  const pid_t child = fork();
  if (child == 0) become(words, directory, true);
  int status = 0;
  waitpid(child, &status, 0);
  ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT);
  const long before = faults_so_far(child);
  long counted = 0;
  int deliver = 0;
  for (;;) {
    ptrace(PTRACE_CONT, child, nullptr, deliver);
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) return counted;
    if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8)) counted = faults_so_far(child) - before;
    deliver = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
  }
}

// The least of several tries.
long faults_of(const Words& words, const std::string& directory) {
  long least = LONG_MAX;
  for (int i = 0; i < 15; ++i) least = std::min(least, faults_of_one(words, directory));
  return least;
}

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

  // Of every directory above the lock one stat.
  int depth() const {
    const std::string path = lock("lock");
    return static_cast<int>(std::count(path.begin(), path.end(), '/'));
  }
  std::string lock(const std::string& name) const { return directory_.file(name); }
  Words ordinary() const { return {atmost_, "run", lock("lock"), nothing_}; }
  void run(const Words& words) const { (void)calls_of(words, directory_.path()); }

  // On a busy machine even this command may run for 50 ms, after which its start is recorded apart
  // from its end: so one of several tries is enough.
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
         {"munmap", 1},     {"openat", 4},      {"prctl", 1},           {"pread", 6},
         {"prlimit", 1},    {"pwrite", 6},      {"set_robust_list", 1}, {"set_tid_address", 1},
         {"sigaction", 1},  {"sigprocmask", 2}, {"sigtimedwait", 1},    {"stat", depth()},
         {"statx", 4},      {"uname", 1},       {"wait4", 1},           {"waitid", 1},
         {"write", 1}});
  touches(ordinary(), 13);
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
                {"pwrite", 2},
                {"set_tid_address", 1},
                {"stat", depth()},
                {"statx", 3},
                {"uname", 1},
                {"write", 1}});
  touches(words, 11);
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
                {"stat", depth()},
                {"statx", 1}});
  touches(words, 9);
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
         {"close", 12},
         {"dup3", 3},
         {"exit_group", 1},
         {"fcntl", 5},
         {"fork", 1},
         {"fstat", 1},
         {"fstatfs", 1},
         {"getpid", 1},
         {"openat", 5},
         {"pidfd_open", 1},
         {"pipe2", 3},
         {"poll", 1},
         {"pread", 6},
         {"prlimit", 1},
         {"pwrite", 3},
         {"read", 1},
         {"readlink", 1},
         {"set_tid_address", 1},
         {"sigprocmask", 10},
         {"stat", depth() + 1},
         {"statx", 1},
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
  costs(ordinary(), {{"arch_prctl", 1},
                     {"close", 5},
                     {"exit_group", 1},
                     {"fcntl", 5},
                     {"fstat", 2},
                     {"fstatfs", 1},
                     {"openat", 5},
                     {"pread", 7},
                     {"prlimit", 1},
                     {"read", 1},
                     {"readlink", 1},
                     {"set_tid_address", 1},
                     {"sigprocmask", 2},
                     {"stat", depth()},
                     {"statx", 3},
                     {"uname", 1},
                     {"waitid", 1},
                     {"write", 2}});
  touches(ordinary(), 11);
  close(end[1]);
  close(end[0]);
  waitpid(holder, nullptr, 0);
}

}  // namespace
