// Requests that wait beside the program: descriptors, cancelling, forks. The witness is a lock
// query by a stranger, or atmost list.
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "library_kit.h"

namespace {

atmost_pending* to_cancel = nullptr;

bool readable(int fd, int milliseconds) {
  struct pollfd one = {fd, POLLIN, 0};
  return poll(&one, 1, milliseconds) == 1;
}

int threads() {
  int count = 0;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
    (void)each;
    ++count;
  }
  return count;
}

int descriptors() {
  int count = 0;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
    (void)each;
    ++count;
  }
  return count;
}

class AsynchronousRequest : public Library {
 protected:
  void SetUp() override {
    Library::SetUp();
    limits_.set("wait", INFINITY);
    limits_.set("no_history");
  }

  atmost_pending* begin(const char* file) {
    atmost_pending* request = nullptr;
    EXPECT_EQ(begin_by(path(file).c_str(), limits_, &request), ATMOST_ADMITTED) << atmost_message();
    return request;
  }

  bool waits(const char* file, int count) const {
    const std::string list = std::string(getenv("ATMOST_BIN")) + "/atmost list " + path(file) +
                             " | grep -c wait | grep -qx " + std::to_string(count);
    return system(list.c_str()) == 0;
  }
};

TEST_F(AsynchronousRequest, IsReadableWhenAdmittedAndLeavesNothingBehind) {
  {
    const atmost::Held before = atmost::Named(path("a")).get_lock(limits_);
    ASSERT_TRUE(before);
  }
  const int threads_before = threads();
  const int descriptors_before = descriptors();
  atmost_pending* request = begin("a");
  const int fd = atmost_descriptor(request);
  EXPECT_EQ(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_EQ(threads(), threads_before);  // the lock is free, so that a call does not wait
  ASSERT_TRUE(readable(fd, 0));
  EXPECT_TRUE(held(path("a")));
  atmost_lock* lock = nullptr;
  ASSERT_EQ(atmost_finish(request, &lock), ATMOST_ADMITTED);
  EXPECT_EQ(threads(), threads_before);
  EXPECT_EQ(atmost_slot(lock), 1u);
  EXPECT_TRUE(held(path("a")));
  atmost_release_current_lock();
  EXPECT_FALSE(held(path("a")));
  EXPECT_EQ(descriptors(), descriptors_before);
}

TEST_F(AsynchronousRequest, ThatIsAnsweredAtOnceNeedsNoDescriptor) {
  atmost_lock* lock = nullptr;
  {
    const atmost::Held before = atmost::Named(path("a")).get_lock(limits_);
    ASSERT_TRUE(before);
  }
  const int before = descriptors();
  atmost_pending* request = begin("a");
  EXPECT_EQ(descriptors(), before);
  EXPECT_EQ(atmost_answered(request), 1);
  rlimit most;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &most), 0);
  const rlimit none = {0, most.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_EQ(atmost_descriptor(request), -1);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &most), 0);
  ASSERT_EQ(atmost_finish(request, &lock), ATMOST_ADMITTED);

  atmost_pending* waits = begin("a");
  EXPECT_EQ(atmost_answered(waits), 0);
  atmost_release(lock, 1);
  ASSERT_TRUE(readable(atmost_descriptor(waits), 10'000));
  EXPECT_EQ(atmost_answered(waits), 1);
  ASSERT_EQ(atmost_finish(waits, &lock), ATMOST_ADMITTED);
  atmost_release(lock, 1);
}

TEST_F(AsynchronousRequest, WaitsBesideItsProgramAndKeepsItsPlace) {
  atmost_lock* lock = nullptr;
  ASSERT_EQ(get_by(path("a").c_str(), limits_, &lock), ATMOST_ADMITTED);
  std::vector<atmost_pending*> requests;
  for (int i = 0; i < 4; ++i) {
    requests.push_back(begin("a"));
    ASSERT_TRUE(eventually([&] { return waits("a", i + 1); }));
  }
  for (const atmost_pending* request : requests)
    EXPECT_FALSE(readable(atmost_descriptor(request), 0));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    atmost_release(lock, 1);
    ASSERT_TRUE(readable(atmost_descriptor(requests[i]), 10'000)) << i;
    for (std::size_t later = i + 1; later < requests.size(); ++later)
      EXPECT_FALSE(readable(atmost_descriptor(requests[later]), 0)) << i << " " << later;
    ASSERT_EQ(atmost_finish(requests[i], &lock), ATMOST_ADMITTED) << atmost_message();
  }
  atmost_release(lock, 1);
}

// The guard may be in the hands of a process that is stopped.
TEST_F(AsynchronousRequest, DoesNotWaitForTheGuardWhenItBegins) {
  { ASSERT_TRUE(atmost::Named(path("a")).get_lock(limits_)); }
  const int guard = open(path("a").c_str(), O_RDWR | O_CLOEXEC);
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_len = 8;
  ASSERT_EQ(fcntl(guard, F_OFD_SETLK, &range), 0);
  const auto before = std::chrono::steady_clock::now();
  atmost_pending* request = begin("a");
  EXPECT_LT(std::chrono::steady_clock::now() - before, 4s);  // it is waited for 5 s elsewhere
  EXPECT_FALSE(readable(atmost_descriptor(request), 0));
  close(guard);
  ASSERT_TRUE(readable(atmost_descriptor(request), 10'000));
  atmost_lock* lock = nullptr;
  ASSERT_EQ(atmost_finish(request, &lock), ATMOST_ADMITTED) << atmost_message();
  atmost_release(lock, 1);
}

// Reads of this thread so far: each process that it looks at takes one, and more.
long reads() {
  std::ifstream io("/proc/thread-self/io");
  std::string word;
  while (io >> word) {
    if (word == "syscr:" && io >> word) return std::stol(word);
  }
  return -1;
}

// Many callers that begin at once meet each other's guard; none looks for its holder.
TEST_F(AsynchronousRequest, LooksAtNoProcessWhenItBegins) {
  if (reads() < 0) GTEST_SKIP() << "this kernel does not count reads";
  { ASSERT_TRUE(atmost::Named(path("a")).get_lock(limits_)); }
  std::vector<pid_t> others;
  for (int i = 0; i < 50; ++i) {
    others.push_back(fork());
    if (others.back() == 0) {
      pause();
      _exit(0);
    }
  }
  const int guard = open(path("a").c_str(), O_RDWR | O_CLOEXEC);
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_len = 8;
  ASSERT_EQ(fcntl(guard, F_OFD_SETLK, &range), 0);
  const long before = reads();
  atmost_pending* request = begin("a");
  EXPECT_LT(reads() - before, 50);
  close(guard);
  for (const pid_t other : others) {
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
  }
  atmost_lock* lock = nullptr;
  ASSERT_EQ(atmost_finish(request, &lock), ATMOST_ADMITTED) << atmost_message();
  atmost_release(lock, 1);
}

TEST_F(AsynchronousRequest, SaysAtTheEndWhyItWasRefused) {
  const atmost::Held holder = atmost::Named(path("a")).get_lock(limits_);
  limits_.set("wait", 0);
  atmost_pending* request = begin("a");
  ASSERT_TRUE(readable(atmost_descriptor(request), 10'000));
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_finish(request, &lock), ATMOST_BUSY);
  EXPECT_EQ(lock, nullptr);
  EXPECT_STREQ(atmost_why(), "no_slot");
  limits_.set("max", 0);
  EXPECT_EQ(begin_by(path("a").c_str(), limits_, &request), ATMOST_USAGE);
  EXPECT_EQ(request, nullptr);
}

TEST_F(AsynchronousRequest, IsCancelledByAnotherThread) {
  const atmost::Held holder = atmost::Named(path("a")).get_lock(limits_);
  for (int round = 0; round < 100; ++round) {
    atmost_pending* request = begin("a");
    std::thread([&] {
      std::this_thread::sleep_for(round * 10us);
      atmost_cancel(request);
    }).join();
    ASSERT_TRUE(readable(atmost_descriptor(request), 10'000));
    atmost_lock* lock = nullptr;
    ASSERT_EQ(atmost_finish(request, &lock), ATMOST_INTERRUPTED) << round;
  }
  EXPECT_TRUE(waits("a", 0));
}

TEST_F(AsynchronousRequest, IsCancelledFromASignalHandlerWhileItIsFinished) {
  const atmost::Held holder = atmost::Named(path("a")).get_lock(limits_);
  struct sigaction action = {};
  struct sigaction before;
  action.sa_handler = [](int) { atmost_cancel(to_cancel); };
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, &before);
  atmost_pending* request = begin("a");
  to_cancel = request;
  ASSERT_TRUE(eventually([&] { return waits("a", 1); }));
  const pthread_t self = pthread_self();
  std::thread sender([&] { pthread_kill(self, SIGUSR1); });
  struct pollfd one = {atmost_descriptor(request), POLLIN, 0};
  while (poll(&one, 1, 10'000) < 0) {
  }
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_finish(request, &lock), ATMOST_INTERRUPTED);
  sender.join();
  sigaction(SIGUSR1, &before, nullptr);
}

// An admission that came first is one, whatever comes after it.
TEST_F(AsynchronousRequest, StaysAdmittedWhenCancelledTooLate) {
  atmost_pending* request = begin("a");
  ASSERT_TRUE(readable(atmost_descriptor(request), 10'000));
  atmost_cancel(request);
  atmost_lock* lock = nullptr;
  ASSERT_EQ(atmost_finish(request, &lock), ATMOST_ADMITTED);
  EXPECT_TRUE(held(path("a")));
  atmost_release(lock, 1);
}

// The child has neither the thread nor the place; its calls with the request do not affect its
// parent's.
TEST_F(AsynchronousRequest, IsTheParentsAloneAfterAFork) {
  atmost_lock* lock = nullptr;
  ASSERT_EQ(get_by(path("a").c_str(), limits_, &lock), ATMOST_ADMITTED);
  atmost_pending* request = begin("a");
  ASSERT_TRUE(eventually([&] { return waits("a", 1); }));
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    atmost_cancel(request);
    atmost_lock* none = nullptr;
    if (atmost_finish(request, &none) != ATMOST_INTERRUPTED || none != nullptr) _exit(1);
    limits_.set("wait", 0);
    _exit(get_by(path("a").c_str(), limits_, &none) == ATMOST_BUSY ? 0 : 2);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(readable(atmost_descriptor(request), 0));
  EXPECT_TRUE(waits("a", 1));
  atmost_release(lock, 1);
  ASSERT_TRUE(readable(atmost_descriptor(request), 10'000));
  ASSERT_EQ(atmost_finish(request, &lock), ATMOST_ADMITTED) << atmost_message();
  atmost_release(lock, 1);
  EXPECT_FALSE(held(path("a")));
}

// A child that stays after its parent was killed keeps no place: a later caller is admitted.
TEST_F(AsynchronousRequest, LeavesTheQueueWithItsProcess) {
  atmost_lock* lock = nullptr;
  ASSERT_EQ(get_by(path("a").c_str(), limits_, &lock), ATMOST_ADMITTED);
  int go[2];
  int there[2];
  ASSERT_EQ(pipe(go), 0);
  ASSERT_EQ(pipe(there), 0);
  char byte = 0;
  const pid_t child = fork();
  if (child == 0) {
    close(go[1]);
    begin("a");
    (void)!read(go[0], &byte, 1);
    if (fork() == 0) {
      (void)!write(there[1], "", 1);
      (void)!read(go[0], &byte, 1);
      _exit(0);
    }
    for (;;) pause();
  }
  close(go[0]);
  ASSERT_TRUE(eventually([&] { return waits("a", 1); }));
  ASSERT_EQ(write(go[1], "", 1), 1);
  ASSERT_EQ(read(there[0], &byte, 1), 1);
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(waits("a", 0));
  atmost_release(lock, 1);
  limits_.set("wait", 0);
  EXPECT_TRUE(atmost::Named(path("a")).get_lock(limits_));
  for (const int end : {go[1], there[0], there[1]}) close(end);
}

}  // namespace
