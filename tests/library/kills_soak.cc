// Processes take one lock and are killed all the while, as in the campaign of each binding.
//
// Each worker that holds the lock also takes a POSIX record lock of another file, which atmost does
// not use: if that fails, two workers held the lock at once. If a process is killed, the kernel
// frees this record lock before atmost's lock, which ends with its file. A lock of flock(2) would
// be freed too late: files are freed after all of them were closed, the last one first. Bytes
// through a pipe count the takes, as a killed process cannot report its own.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <random>

#include "library_kit.h"

namespace {

constexpr int kTakes = 10'000, kKills = 300, kWorkers = 4;

class KillsSoak : public Library {
 protected:
  void SetUp() override {
    Library::SetUp();
    ASSERT_EQ(pipe(pipe_), 0);
    for (int which = 0; which < kWorkers; ++which) start(which);
  }
  void TearDown() override {
    for (const pid_t worker : workers_) {
      if (worker > 0) end(worker);
    }
    close(pipe_[0]);
    close(pipe_[1]);
    Library::TearDown();
  }

  // Half of the workers wait, the others come again.
  [[noreturn]] void work(int which) {
    const int witness = open(path("witness").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct flock whole = {};
    limits_.set("wait", which % 2 == 0 ? 3600 : 0);
    for (;;) {
      auto held = atmost::Named("a").get_lock(limits_);
      if (!held) {
        if (held.answer() != ATMOST_BUSY) _exit(held.answer());
        std::this_thread::sleep_for(1ms);
        continue;
      }
      whole.l_type = F_WRLCK;
      const bool alone = fcntl(witness, F_SETLK, &whole) == 0;
      if (write(pipe_[1], alone ? "t" : "o", 1) != 1) _exit(1);
      whole.l_type = F_UNLCK;
      fcntl(witness, F_SETLK, &whole);
    }
  }

  void start(int which) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) work(which);
    workers_[static_cast<std::size_t>(which)] = child;
  }

  static int end(pid_t worker) {
    int status = 0;
    kill(worker, SIGKILL);
    waitpid(worker, &status, 0);
    return status;
  }

  void count() {
    char seen[60];
    const ssize_t got = read(pipe_[0], seen, 1 + random_() % sizeof seen);
    ASSERT_GT(got, 0);
    takes_ += std::count(seen, seen + got, 't');
    overlaps_ += std::count(seen, seen + got, 'o');
  }

  void kill_one() {
    const int which = static_cast<int>(random_() % kWorkers);
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 1000));
    const int status = end(workers_[static_cast<std::size_t>(which)]);
    ASSERT_TRUE(WIFSIGNALED(status)) << "a worker ended by itself: " << status;
    ++kills_;
    start(which);
  }

  int pipe_[2] = {-1, -1};
  std::array<pid_t, kWorkers> workers_ = {};
  std::mt19937 random_{std::random_device{}()};
  long takes_ = 0, overlaps_ = 0, kills_ = 0;
};

TEST_F(KillsSoak, NeverTwoAndNothingIsLeft) {
  while (takes_ < kTakes || kills_ < kKills) {
    ASSERT_NO_FATAL_FAILURE(count());
    if (kills_ * kTakes > takes_ * (kKills + 10)) continue;
    ASSERT_NO_FATAL_FAILURE(kill_one());
  }
  for (pid_t& worker : workers_) end(std::exchange(worker, 0));
  std::printf("C soak: %ld takes, %ld killed, %ld overlaps\n", takes_, kills_, overlaps_);
  EXPECT_EQ(overlaps_, 0);
  EXPECT_FALSE(held(path("a.lock")));
  limits_.set("wait", 0);
  EXPECT_TRUE(atmost::Named("a").get_lock(limits_));
}

}  // namespace
