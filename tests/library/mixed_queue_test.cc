// Threads of the library and programs in one queue.
#include <sys/wait.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <iterator>

#include "library_kit.h"

namespace {

class MixedQueue : public Library {
 protected:
  void SetUp() override {
    Library::SetUp();
    atmost_ = std::string(getenv("ATMOST_BIN")) + "/atmost ";
    limits_.set("wait", INFINITY);
    holder_ = atmost::Named(path("a")).get_lock(limits_);
    ASSERT_TRUE(holder_);
    // So many that a waiter behind them looks every 20 s by itself.
    for (unsigned i = 1; i <= 17; ++i) {
      threads_.emplace_back([&] { atmost::Named(path("a")).get_lock(limits_).release(); });
      ASSERT_TRUE(waiting(i));
    }
  }
  void TearDown() override {
    holder_.release();
    for (std::thread& thread : threads_) thread.join();
    Library::TearDown();
  }

  bool waiting(unsigned count) const {
    const std::string list =
        atmost_ + "list " + path("a") + " | grep -c wait | grep -qx " + std::to_string(count);
    return eventually([&] { return system(list.c_str()) == 0; });
  }

  // True if this process maps a part of the lock file.
  bool maps_it() const {
    std::ifstream maps("/proc/self/maps");
    const std::string all{std::istreambuf_iterator<char>(maps), {}};
    return all.find(path("a")) != std::string::npos;
  }

  std::string atmost_;
  atmost::Held holder_;
  std::vector<std::thread> threads_;
};

TEST_F(MixedQueue, AProgramIsCalledWhenTheThreadsBeforeItHaveGone) {
  std::atomic<int> code{-1};
  std::thread program(
      [&] { code = system((atmost_ + "run -w inf " + path("a") + " true").c_str()); });
  const bool queued = waiting(18);
  holder_.release();
  const bool came = eventually([&] { return code != -1; });
  program.join();
  EXPECT_TRUE(queued);
  EXPECT_TRUE(came);
  EXPECT_EQ(code, 0);
}

TEST_F(MixedQueue, AForkedChildGetsNoMappingOfTheFile) {
  // The first thread in the queue calls those behind it.
  ASSERT_TRUE(eventually([&] { return maps_it(); }));
  const pid_t child = fork();
  if (child == 0) _exit(maps_it() ? 1 : 0);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  holder_.release();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  EXPECT_FALSE(maps_it());
}

}  // namespace
