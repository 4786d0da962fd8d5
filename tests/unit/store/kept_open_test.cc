// A file that stays open after a release: a fork, and a failure, at each of the calls of the next
// take and release.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <fstream>
#include <functional>

#include "lock_kit.h"
#include "os/calls.h"
#include "os/threads.h"

namespace atmost::local {
namespace {

using os::calls;
using os::kRealCalls;

os::Mutex opening;
LocalSession* of_this_process = nullptr;
void close_in_child() {
  if (of_this_process != nullptr) of_this_process->close_private();
}

// The event at the nth call from now; true: the call fails.
unsigned left = 0;
std::function<bool()> happens;
bool strikes() { return left > 0 && --left == 0 && happens(); }

// True if the process, a child, has the guard through any of its descriptors.
bool has_guard() {
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fdinfo")) {
    std::ifstream lines(each.path());
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("lock:", 0) == 0 && line.find(" 0 ") != std::string::npos) return true;
    }
  }
  return false;
}

class KeptOpen : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { os::keep_through_fork(opening, close_in_child); }

  KeptOpen() {
    request_.kind = HolderKind::library;
    request_.locks[0].path = kept(directory_.path());
    calls.lock = [](int fd, int command, struct flock* range) {
      return strikes() ? -1 : kRealCalls.lock(fd, command, range);
    };
    calls.pread = [](int fd, void* to, std::size_t size, off_t at) {
      return strikes() ? ssize_t{-1} : kRealCalls.pread(fd, to, size, at);
    };
    calls.pwrite = [](int fd, const void* from, std::size_t size, off_t at) {
      return strikes() ? ssize_t{-1} : kRealCalls.pwrite(fd, from, size, at);
    };
    calls.status = [](int dir, const char* path, struct stat* to) {
      return strikes() ? -1 : kRealCalls.status(dir, path, to);
    };
    calls.seek = [](int fd, off_t at, int whence) {
      return strikes() ? off_t{-1} : kRealCalls.seek(fd, at, whence);
    };
  }
  ~KeptOpen() override {
    left = 0;
    calls = kRealCalls;
    of_this_process = nullptr;
  }

  bool take(LocalSession& session, Lease& lease) {
    clock_now = {1'700'000'000'000'000'000, 100'000'000'000'000'000, false};
    if (!session.open(request_).ok()) return false;
    const Result<Decision> answer =
        rule::admit(session, request_, {policy::decide, told_by_clock}, lease);
    return answer.ok() && answer.value().verdict == Verdict::admit;
  }
  static void release(Lease& lease) { lease.release(Ending::success, {}); }

  // Takes and releases once for each call of these, at which `what` happens. `inside`: when taken.
  unsigned at_each_call(const std::function<bool()>& what, const std::function<void()>& inside) {
    bool happened = true;
    unsigned nth = 1;
    for (; happened; ++nth) {
      SCOPED_TRACE("call " + std::to_string(nth));
      LocalSession session;
      session.set_blocking(os::Blocking::polling);
      session.set_heirs(Heirs::forks, &opening);
      session.set_keeping();
      of_this_process = &session;
      Lease lease;
      EXPECT_TRUE(take(session, lease));
      release(lease);
      happened = false;
      happens = [&] {
        happened = true;
        return what();
      };
      left = nth;
      if (take(session, lease)) {
        EXPECT_TRUE(witness_.sees_lock(slot_byte(1)));
        inside();
        release(lease);
      }
      left = 0;
      session.close();
      of_this_process = nullptr;
      EXPECT_FALSE(witness_.sees_lock(0, 0)) << "left locked";
      EXPECT_EQ(User(directory_.path()).ask(), "admit");
      if (HasFailure()) break;
    }
    return nth - 2;  // calls of one that nothing happened to
  }

  Directory directory_;
  const Outsider witness_{directory_.path()};
  Request request_;
};

TEST_F(KeptOpen, AForkAtAnyCallGivesNobodyTheGuard) {
  bool guarded_once = false;
  const auto forked = [&] {
    guarded_once = guarded_once || witness_.sees_lock(0, 8);
    const pid_t child = fork();
    if (child == 0) _exit(has_guard() ? 1 : 0);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "the child has the guard";
    return false;
  };
  EXPECT_GE(at_each_call(forked, [&] { EXPECT_FALSE(witness_.sees_lock(0, 8)); }), 11u);
  EXPECT_TRUE(guarded_once);
}

TEST_F(KeptOpen, AFailureOfAnyCallLeavesNothingLocked) {
  for (const int error : {EIO, ENOSPC, EAGAIN}) {
    const auto fails = [&] {
      errno = error;
      return true;
    };
    EXPECT_GE(at_each_call(fails, [] {}), 11u);
  }
}

// Changed by others, while the lock is held or between two holds.
class FlagsOfAWord : public KeptOpen {
 protected:
  FlagsOfAWord() {
    request_.eviction = Eviction::revoke;
    session_.set_blocking(os::Blocking::polling);
    session_.set_heirs(Heirs::forks, &opening);
    session_.set_keeping();
    for (int i = 0; i < 3; ++i) cycle();
  }
  ~FlagsOfAWord() override { session_.close(); }

  bool take() { return KeptOpen::take(session_, lease_); }
  void cycle() {
    EXPECT_TRUE(take());
    release(lease_);
  }

  LocalSession session_;
  Lease lease_;
  User other_{directory_.path()};
};

TEST_F(FlagsOfAWord, AreSeenAfterADrain) {
  ASSERT_TRUE(other_.store().set_drained(other_.request, 1, true).ok());
  EXPECT_FALSE(take());
  ASSERT_TRUE(other_.store().set_drained(other_.request, 1, false).ok());
  cycle();
}

TEST_F(FlagsOfAWord, AreSeenAfterADrainUnderTheHold) {
  ASSERT_TRUE(take());
  ASSERT_TRUE(other_.store().set_drained(other_.request, 1, true).ok());
  release(lease_);
  EXPECT_FALSE(take());
}

// The same where another process has the guard just then, and the release waits for it.
TEST_F(FlagsOfAWord, AreSeenAfterAReleaseThatFoundTheGuardLocked) {
  ASSERT_TRUE(take());
  ASSERT_TRUE(other_.store().set_drained(other_.request, 1, true).ok());
  happens = [] {
    errno = EAGAIN;
    return true;
  };
  left = 1;
  release(lease_);
  EXPECT_EQ(left, 0u);
  EXPECT_FALSE(take());
}

TEST_F(FlagsOfAWord, AreClearedAfterATakersNote) {
  ASSERT_TRUE(take());
  const Result<SignalResult> noted = other_.signal(lease_.lock(0).token, SignalStep::interrupt);
  ASSERT_TRUE(noted.ok());
  EXPECT_EQ(noted.value().signalled, 1u);
  os::Watch watch;
  for (const bool drained : {true, false}) {
    ASSERT_TRUE(other_.store().set_drained(other_.request, 1, drained).ok());
    EXPECT_TRUE(session_.revoked(watch)) << "the note went with the drained flag";
  }
  release(lease_);
  ASSERT_TRUE(take());
  EXPECT_FALSE(session_.revoked(watch)) << "the note was for the hold before";
  release(lease_);
}

}  // namespace
}  // namespace atmost::local
