#include "os/standing.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "os/clock.h"

namespace atmost::os {
namespace {

// A child with a child of its own, which sleeps until both are killed.
class Family {
 public:
  template <class Act>
  explicit Family(Act act) : parent_(fork()) {
    if (parent_ != 0) return;
    setpgid(0, 0);
    const pid_t child = fork();
    if (child == 0) {
      for (;;) pause();
    }
    act(child);
    _exit(0);
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
  ~Family() {
    kill(-parent_, SIGKILL);
    kill(parent_, SIGKILL);
    waitpid(parent_, nullptr, 0);
  }
  pid_t pid() const { return parent_; }

  std::int64_t child() const {
    std::int64_t children[4];
    std::size_t count = 0;
    while (children_of(parent_, children, count) == 0 && count == 0) usleep(1000);
    return count == 1 ? children[0] : 0;
  }
  // Seen asleep, at last.
  Standing asleep() const {
    Standing now;
    (void)child();
    for (int i = 0; i < 5000 && standing_of(parent_, now) == 0 && !now.rests; ++i) usleep(1000);
    return now;
  }
  // Asleep, but not for a child: it stays so.
  bool never_rests() const {
    Standing now;
    (void)child();
    for (int i = 0; i < 50; ++i) {
      if (standing_of(parent_, now) != 0 || now.rests) return false;
      usleep(1000);
    }
    return true;
  }

 private:
  const pid_t parent_;
};

TEST(Standing, AParentThatWaitsRests) {
  const Family family([](pid_t child) { waitpid(child, nullptr, 0); });
  const Standing now = family.asleep();
  EXPECT_TRUE(now.rests);
  EXPECT_FALSE(now.atmost);
  EXPECT_GT(now.cpu_ns, 0);
}

void suspend_with(int signal) {
  // A sanitizer has handlers of its own, which no shell has.
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
    (void)::signal(fault, SIG_DFL);
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  sigaction(SIGCHLD, &action, nullptr);
  if (signal != 0) sigaction(signal, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigsuspend(&none);
}

TEST(Standing, SoDoesOneThatWaitsForItsSignal) {
  const Family family([](pid_t) { suspend_with(SIGINT); });
  EXPECT_TRUE(family.asleep().rests);
}

TEST(Standing, ATimerWakesAnother) {
  const Family family([](pid_t) { suspend_with(SIGALRM); });
  EXPECT_TRUE(family.never_rests());
}

TEST(Standing, OtherSleepIsNotRest) {
  const Family poller([](pid_t) { poll(nullptr, 0, -1); });
  EXPECT_TRUE(poller.never_rests());
  const Family reader([](pid_t) {
    int ends[2];
    char byte;
    if (pipe(ends) == 0) (void)!read(ends[0], &byte, 1);
  });
  EXPECT_TRUE(reader.never_rests());
  const Family threads([](pid_t child) {
    std::thread([] { pause(); }).detach();
    waitpid(child, nullptr, 0);
  });
  EXPECT_TRUE(threads.never_rests());
}

TEST(Standing, OfNobody) {
  Standing now;
  EXPECT_NE(standing_of(0x7fff'fff0, now), 0);
  std::int64_t children[4];
  std::size_t count = 0;
  EXPECT_NE(children_of(0x7fff'fff0, children, count), 0);
}

TEST(Standing, ShowsTheLocksOfAProcess) {
  class Lines final : public LockedFileVisitor {
   public:
    bool locked(const char* link, const LockLine& line) override {
      if (line.start != 4711) return true;
      char target[4096];
      const ssize_t size = readlink(link, target, sizeof target);
      path.assign(target, size > 0 ? static_cast<std::size_t>(size) : 0);
      write = line.write;
      return false;
    }
    std::string path;
    bool write = false;
  };
  char name[] = "/tmp/atmost-standing.XXXXXX";
  const int fd = mkstemp(name);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(try_lock(fd, Owner::description, LockKind::write, {4711, 1}), 0);
  const Family heir([](pid_t child) { waitpid(child, nullptr, 0); });
  (void)heir.child();
  for (const pid_t pid : {getpid(), heir.pid()}) {
    Lines lines;
    EXPECT_EQ(each_locked_file(pid, lines), 0);
    EXPECT_EQ(lines.path, name);
    EXPECT_TRUE(lines.write);
  }
  close(fd);
  unlink(name);
}

}  // namespace
}  // namespace atmost::os
