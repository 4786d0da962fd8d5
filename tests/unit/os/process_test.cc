#include "os/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "os/clock.h"
#include "os/locks.h"
#include "os/self.h"

namespace atmost::os {
namespace {

using std::string_literals::operator""s;

const std::string kRest =
    " S 7 8 9 34816 1234 4194304 1 2 3 4 5 6 7 8 20 0 1 0 500 1000 200 18446744073709551615";

TEST(ProcessStat, AnyName) {
  for (const std::string& name : {"sh"s, ""s, "a b"s, "a) R 1 1 1"s, "((("s, ")))"s, ") S 1 2 3 ("s,
                                  "new\nline"s, "\xff\xfe\x01"s, "x\0y"s}) {
    ProcessFacts facts;
    ASSERT_TRUE(parse_process_stat("42 (" + name + ")" + kRest, facts)) << name;
    EXPECT_EQ(facts.state, 'S');
    EXPECT_EQ(facts.parent, 7);
    EXPECT_EQ(facts.group, 8);
    EXPECT_EQ(facts.session, 9);
    EXPECT_EQ(facts.threads, 1);
    EXPECT_EQ(facts.start_boot_ns, 500 * (1'000'000'000 / sysconf(_SC_CLK_TCK)));
    EXPECT_FALSE(facts.ended());
  }
}

TEST(ProcessStat, EndedOnes) {
  for (const char state : {'Z', 'X', 'R', 'T', 'D'}) {
    std::string rest = kRest;
    rest[1] = state;
    ProcessFacts facts;
    ASSERT_TRUE(parse_process_stat("1 (x)" + rest, facts));
    EXPECT_EQ(facts.ended(), state == 'Z' || state == 'X');
  }
}

// Its main thread has ended, and two others run on.
TEST(ProcessStat, AZombieWithThreadsHasNotEnded) {
  std::string rest = kRest;
  rest[1] = 'Z';
  rest.replace(rest.find(" 20 0 1 0 500"), 13, " 20 0 3 0 500");
  ProcessFacts facts;
  ASSERT_TRUE(parse_process_stat("1 (x)" + rest, facts));
  EXPECT_EQ(facts.threads, 3);
  EXPECT_FALSE(facts.ended());
}

// Every prefix that ends before the start time is refused, whatever it is.
TEST(ProcessStat, CutOff) {
  const std::string whole = "42 (sh)" + kRest;
  const std::size_t enough = whole.find(" 500 ") + 2;
  ProcessFacts facts;
  for (std::size_t size = 0; size < enough; ++size)
    EXPECT_FALSE(parse_process_stat(whole.substr(0, size), facts));
  EXPECT_TRUE(parse_process_stat(whole.substr(0, enough + 2), facts));
}

TEST(ProcessStat, Rubbish) {
  ProcessFacts facts;
  for (const std::string& text :
       {""s, ")"s, "("s, ")("s, ") S 1 2 3"s, "42 (sh) S x 8 9"s,
        "42 (sh) SS 7 8 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5"s, "42 (sh) S 99999999999999999999 8 9"s,
        "42 (sh) S 7 8 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -5"s,
        "42 (sh) S 7 8 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9223372036854775807"s,
        std::string(3000, '('), std::string(3000, ')')}) {
    EXPECT_FALSE(parse_process_stat(text, facts)) << text;
  }
}

TEST(LockLines, TheKernelsOwn) {
  LockLine line;
  ASSERT_TRUE(parse_lock_line("lock:\t1: OFDLCK ADVISORY  WRITE -1 fe:00:1234 8 8", line));
  EXPECT_TRUE(line.description);
  EXPECT_TRUE(line.write);
  EXPECT_EQ(line.pid, -1);
  EXPECT_EQ(line.inode, 1234u);
  EXPECT_TRUE(line.covers(8));
  EXPECT_FALSE(line.covers(7));
  EXPECT_FALSE(line.covers(9));
  ASSERT_TRUE(parse_lock_line("lock:\t17: POSIX  ADVISORY  READ 4711 00:1b:18446 0 EOF", line));
  EXPECT_FALSE(line.description);
  EXPECT_FALSE(line.write);
  EXPECT_EQ(line.pid, 4711);
  EXPECT_TRUE(line.covers(INT64_MAX));
  ASSERT_TRUE(parse_lock_line(
      "lock:\t2: OFDLCK ADVISORY  WRITE -1 00:a1:9 281474976710656 281474976710660", line));
  EXPECT_TRUE(line.covers((std::int64_t{1} << 48) + 4));
  EXPECT_FALSE(line.covers((std::int64_t{1} << 48) + 5));
}

TEST(LockLines, OthersAndRubbish) {
  LockLine line;
  for (const std::string& text :
       {""s, "lock:"s, "pos:\t0"s, "flags:\t02100002"s,
        "lock:\t1: FLOCK  ADVISORY  WRITE 1 fe:00:1 0 EOF"s,
        "lock:\t1: LEASE  ACTIVE    READ 1 fe:00:1 0 EOF"s,
        "lock:\t1: OFDLCK MANDATORY WRITE -1 fe:00:1 8 8"s,
        "lock:\t1: OFDLCK ADVISORY  UNLCK -1 fe:00:1 8 8"s,
        "lock:\t1: OFDLCK ADVISORY  WRITE x fe:00:1 8 8"s,
        "lock:\t1: OFDLCK ADVISORY  WRITE -1 fe001 8 8"s,
        "lock:\t1: OFDLCK ADVISORY  WRITE -1 fe:00:zz 8 8"s,
        "lock:\t1: OFDLCK ADVISORY  WRITE -1 fe:00:1"s,
        "lock:\t1: OFDLCK ADVISORY  WRITE -1 fe:00:1 8"s,
        "lock:\t1: OFDLCK ADVISORY  WRITE -1 fe:00:1234 9 8"s,  // ends before it begins
        "lock:\t1: OFDLCK ADVISORY  WRITE -1 fe:00:1 99999999999999999999 8"s}) {
    EXPECT_FALSE(parse_lock_line(text, line)) << text;
  }
}

TEST(FlockLines, OfDescriptorsAndOfTheMachine) {
  LockLine line;
  ASSERT_TRUE(parse_flock_line("lock:\t1: FLOCK  ADVISORY  WRITE 4711 fe:1c:1234 0 EOF", line));
  EXPECT_TRUE(line.write);
  EXPECT_EQ(line.pid, 4711);
  EXPECT_EQ(line.device_major, 0xfeu);
  EXPECT_EQ(line.device_minor, 0x1cu);
  EXPECT_EQ(line.inode, 1234u);
  ASSERT_TRUE(parse_flock_line("17: FLOCK  ADVISORY  READ 0 00:1b:18446 0 EOF", line));
  EXPECT_FALSE(line.write);
  for (const std::string& text :
       {""s, "17:"s, "17: -> FLOCK  ADVISORY  WRITE 1 fe:00:1 0 EOF"s,
        "17: POSIX  ADVISORY  WRITE 1 fe:00:1 0 EOF"s, "17: OFDLCK ADVISORY  WRITE -1 fe:00:1 8 8"s,
        "17: FLOCK  ADVISORY  WRITE 1 :00:1 0 EOF"s, "17: FLOCK  ADVISORY  WRITE 1 fe:1 0 EOF"s,
        "17: FLOCK  ADVISORY  WRITE 1 fe:000000000:1 0 EOF"s,
        "17: FLOCK  ADVISORY  WRITE 1 fe:0g:1 0 EOF"s}) {
    EXPECT_FALSE(parse_flock_line(text, line)) << text;
  }
}

#ifndef ATMOST_PORTABLE

// A child that waits to be killed.
class Child {
 public:
  Child() : pid_(fork()) {
    if (pid_ == 0) {
      for (;;) pause();
    }
  }
  ~Child() { end(); }
  void end() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(Processes, Ourselves) {
  ProcessFacts facts;
  ASSERT_EQ(process_facts(getpid(), facts), 0);
  EXPECT_EQ(facts.parent, getppid());
  EXPECT_EQ(facts.group, getpgrp());
  EXPECT_EQ(facts.session, getsid(0));
  EXPECT_LE(facts.start_boot_ns, boot_ns());
  EXPECT_GT(facts.start_boot_ns, boot_ns() - 3'600'000'000'000);
  EXPECT_EQ(process_facts(999'999'999, facts), ESRCH);
}

TEST(Processes, Descent) {
  Child child;
  EXPECT_EQ(branch_below(child.pid(), getpid()), child.pid());
  EXPECT_EQ(branch_below(child.pid(), getppid()), getpid());
  EXPECT_EQ(branch_below(getpid(), child.pid()), 0);
  EXPECT_EQ(branch_below(999'999'999, getpid()), 0);
  EXPECT_TRUE(is_ancestor(getppid()));
  EXPECT_TRUE(is_ancestor(1));
  EXPECT_FALSE(is_ancestor(getpid()));
  EXPECT_FALSE(is_ancestor(child.pid()));
}

TEST(Processes, Handles) {
  Child child;
  ProcessHandle handle;
  ASSERT_EQ(handle.open(child.pid()), 0);
  EXPECT_TRUE(handle.alive());
  EXPECT_EQ(handle.send(0), 0);
  EXPECT_EQ(handle.send(SIGKILL), 0);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(handle.alive());
  child.end();
  EXPECT_FALSE(handle.alive());
  EXPECT_EQ(handle.send(0), ESRCH);
  EXPECT_EQ(handle.open(999'999'999), ESRCH);
}

class Finder final : public ProcessVisitor {
 public:
  explicit Finder(std::int64_t wanted) : wanted_(wanted) {}
  bool process(std::int64_t pid, const ProcessFacts& facts) override {
    if (pid == wanted_) parent_ = facts.parent;
    ++count_;
    return pid != wanted_;
  }
  std::int64_t wanted_;
  std::int64_t parent_ = 0;
  int count_ = 0;
};

TEST(Processes, AllOfThem) {
  Child child;
  Finder finder(child.pid());
  EXPECT_EQ(each_process(finder), 0);
  EXPECT_EQ(finder.parent_, getpid());
  Finder first(1);
  EXPECT_EQ(each_process(first), 0);
  EXPECT_EQ(first.count_, 1);
}

class Locked : public ::testing::Test {
 protected:
  Locked() : fd_(mkstemp(path_)) { fstat(fd_, &file_); }
  ~Locked() override {
    close(fd_);
    unlink(path_);
  }
  void lock(int command, short type, off_t start, off_t length) {
    struct flock range = {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = start;
    range.l_len = length;
    ASSERT_EQ(fcntl(fd_, command, &range), 0);
  }
  Holding holds(pid_t pid, std::int64_t byte) {
    return holds_byte(pid, file_.st_dev, file_.st_ino, byte);
  }

  char path_[32] = "/tmp/atmost-locked-XXXXXX";
  int fd_;
  struct stat file_ = {};
};

TEST_F(Locked, DescriptionLocksShowInEveryInheritor) {
  EXPECT_EQ(holds(getpid(), 8), Holding::no);
  lock(F_OFD_SETLK, F_WRLCK, 8, 1);
  lock(F_OFD_SETLK, F_RDLCK, 100, 1);
  Child child;
  for (const pid_t pid : {getpid(), child.pid()}) {
    EXPECT_EQ(holds(pid, 8), Holding::yes);
    EXPECT_EQ(holds(pid, 7), Holding::no);
    EXPECT_EQ(holds(pid, 9), Holding::no);
    EXPECT_EQ(holds(pid, 100), Holding::no);  // a read lock
  }
  EXPECT_EQ(holds_byte(getpid(), file_.st_dev, file_.st_ino + 1, 8), Holding::no);
  EXPECT_EQ(holds_byte(getpid(), file_.st_dev + 1, file_.st_ino, 8), Holding::no);
  const pid_t pid = child.pid();
  child.end();
  EXPECT_EQ(holds(pid, 8), Holding::no);
}

TEST_F(Locked, ProcessLocksShowInTheirOwnerOnly) {
  lock(F_SETLK, F_WRLCK, 8, 0);
  Child child;
  EXPECT_EQ(holds(getpid(), std::int64_t{1} << 50), Holding::yes);
  EXPECT_EQ(holds(child.pid(), 8), Holding::no);
}

// More lines than one buffer holds: none is lost at a seam.
TEST_F(Locked, AThousandLocks) {
  for (off_t i = 0; i < 1000; ++i) lock(F_OFD_SETLK, F_WRLCK, 8 + 2 * i, 1);
  for (std::int64_t i = 0; i < 1000; i += 9) {
    ASSERT_EQ(holds(getpid(), 8 + 2 * i), Holding::yes) << i;
  }
  for (const std::int64_t free : {9, 999, 2007})
    EXPECT_EQ(holds(getpid(), free), Holding::no) << free;
}

#endif

// However it was forked: a raw call runs no handlers.
TEST(ProcessId, IsRememberedOnlyInTheProcessThatHasIt) {
  remember_process_id();
  EXPECT_EQ(process_id(), getpid());
  EXPECT_EQ(process_id(), getpid());
  const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  ASSERT_GE(child, 0);
  if (child == 0) _exit(process_id() == syscall(SYS_getpid) && process_id() == getpid() ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace atmost::os
