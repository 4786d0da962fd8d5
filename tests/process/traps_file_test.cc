// Traps of the file itself, and of those who touch it.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "traps_stage.h"

namespace witness {
namespace {

using LockFile = Stage;

TEST_F(LockFile, UnlinkedWhileHeld) {
  const Tag old_holder = hold(run({}));
  ASSERT_EQ(unlink(lock_.c_str()), 0);
  const Tag new_holder = hold(run({}));  // nothing leads to the old file any more
  EXPECT_EQ(try_run({}).end, "exit 75");
  let_go(old_holder);
  EXPECT_EQ(end_of(old_holder), "exit 0");
  EXPECT_EQ(try_run({}).end, "exit 75") << "the old holder's release touched the new file";
  let_go(new_holder);
  EXPECT_EQ(end_of(new_holder), "exit 0");
  EXPECT_EQ(try_run({}).end, "exit 0");
}

TEST_F(LockFile, UnlinkedWhileWaitedFor) {
  hold(run({}));
  const Tag head = queue(run({"-w", "inf"}));
  const Tag next = queue(run({"-w", "inf"}));
  ASSERT_EQ(unlink(lock_.c_str()), 0);
  // The path leads to no file, or to a new one: one of them after the other has its turn there.
  ASSERT_TRUE(eventually(kBound, [&] { return inside(head) || inside(next); }));
  const Tag first = inside(head) ? head : next;
  const Tag second = first == head ? next : head;
  EXPECT_FALSE(inside(second));
  let_go(first);
  EXPECT_EQ(end_of(first), "exit 0");
  EXPECT_TRUE(comes_inside(second));
}

TEST_F(LockFile, ReplacedWhileWaitedFor) {
  hold(run({}));
  const Tag waiter = queue(run({"-w", "inf"}));
  const std::string other = directory_.file("other");
  std::ofstream(other).flush();
  ASSERT_EQ(rename(other.c_str(), lock_.c_str()), 0);
  EXPECT_TRUE(comes_inside(waiter));
  EXPECT_EQ(try_run({}).end, "exit 75");
}

// POSIX locks would go when the command opens and closes the file; these do not.
TEST_F(LockFile, OpenedAndClosedByTheCommand) {
#ifdef ATMOST_PORTABLE
  GTEST_SKIP() << "there are only POSIX locks here";
#endif
  for (const Argv& options : {Argv{}, Argv{"--exec"}}) {
    Argv before = run(options);
    before.insert(before.end(), {"/bin/sh", "-c", ": <>\"$0\"; exec \"$@\"", lock_});
    const Tag holder = hold(before);
    EXPECT_EQ(try_run({}).end, "exit 75");
    let_go(holder);
    EXPECT_EQ(end_of(holder), "exit 0");
  }
}

class Guard : public Stage {
 protected:
  // Somebody took the guard and was stopped. All other callers report that after five seconds, and
  // name the holder.
  void expect_a_bounded_wait(const std::string& kind) {
    int ready[2];
    ASSERT_EQ(pipe2(ready, O_CLOEXEC), 0);
    const pid_t culprit =
        world_.start({helper("traps_strange_holder"), kind, lock_}, {-1, ready[1], -1});
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    ASSERT_TRUE(eventually(kBound, [&] { return state_of(culprit) == 'T'; }));
    Argv patient = run({"-w", "inf"});
    patient.push_back("/bin/true");
    const Answer answer = ask(patient, Bound(20'000));
    EXPECT_EQ(answer.end, "exit 75");
    EXPECT_GT(answer.took_ns, 4'000'000'000);
    EXPECT_LT(answer.took_ns, 10'000'000'000);
    EXPECT_NE(answer.errors.find(std::to_string(culprit)), std::string::npos) << answer.errors;
    ASSERT_TRUE(world_.signal_descendant(culprit, SIGKILL, true));
    EXPECT_EQ(try_run({}).end, "exit 0");
    close(ready[0]);
    close(ready[1]);
  }
};

TEST_F(Guard, HeldByAStoppedStranger) { expect_a_bounded_wait("guard"); }
#ifndef ATMOST_PORTABLE
TEST_F(Guard, HeldByAStoppedProcessOfOurKind) { expect_a_bounded_wait("ofd-guard"); }
#endif

// A supervisor must come to its end even if it cannot have the guard to release under.
TEST_F(Guard, StoppedWhileAHolderEnds) {
  const Tag holder = hold(run({}));
  int ready[2];
  ASSERT_EQ(pipe2(ready, O_CLOEXEC), 0);
  world_.start({helper("traps_strange_holder"), "ofd-guard", lock_}, {-1, ready[1], -1});
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  let_go(holder);
  EXPECT_EQ(end_of(holder), "exit 0");
  EXPECT_TRUE(eventually(Bound(1000), [&] { return !probe_.slot_held(1); }));
  close(ready[0]);
  close(ready[1]);
}

class FullDisk : public Stage {
 protected:
  // A file system of 64 KiB that nobody else sees.
  void SetUp() override {
    small_ = directory_.file("small");
    ASSERT_EQ(mkdir(small_.c_str(), 0700), 0);
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", small_.c_str(), "tmpfs", 0, "size=64k") != 0) {
      GTEST_SKIP() << "cannot mount a small file system here: " << std::strerror(errno);
    }
    mounted_ = true;
    lock_here_ = small_ + "/lock";
  }
  void TearDown() override {
    if (mounted_) umount2(small_.c_str(), MNT_DETACH);
  }

  void fill() {
    const int fd =
        open((small_ + "/ballast").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::string page(4096, 'x');
    while (write(fd, page.data(), page.size()) > 0) {
    }
    close(fd);
  }
  Argv run_here(const Argv& options, const Argv& command) const {
    Argv argv{under_test("atmost"), "run"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), {lock_here_, "--"});
    argv.insert(argv.end(), command.begin(), command.end());
    return argv;
  }
  // Either it ran, or one line named the place where it could not.
  void expect_honest(const Answer& answer, const std::string& ran) {
    if (answer.end == ran) return;
    EXPECT_TRUE(answer.end == "exit 73" || answer.end == "exit 74") << answer.end;
    EXPECT_NE(answer.errors.find(lock_here_), std::string::npos) << answer.errors;
    EXPECT_EQ(std::count(answer.errors.begin(), answer.errors.end(), '\n'), 1) << answer.errors;
  }

  std::string small_;
  std::string lock_here_;
  bool mounted_ = false;
};

TEST_F(FullDisk, ANewLock) {
  fill();
  expect_honest(ask(run_here({}, {"/bin/true"})), "exit 0");
}

TEST_F(FullDisk, AnOldLockStillLimits) {
  ASSERT_EQ(ask(run_here({}, {"/bin/true"})).end, "exit 0");
  const Tag holder = hold(run_here({}, {}));
  fill();
  expect_honest(ask(run_here({}, {"/bin/true"})), "exit 75");
  expect_honest(ask(run_here({"-n", "2"}, {"/bin/true"})), "exit 0");
  let_go(holder);
  EXPECT_EQ(end_of(holder), "exit 0");
  ASSERT_EQ(unlink((small_ + "/ballast").c_str()), 0);
  EXPECT_EQ(ask(run_here({}, {"/bin/true"})).end, "exit 0");
}

}  // namespace
}  // namespace witness
