// A wait that signals end: real ones, sent to real threads.
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <thread>

#include "library_kit.h"

namespace {

std::atomic<int> handled{0};

class Interrupt : public Library {
 protected:
  void SetUp() override {
    Library::SetUp();
    handled = 0;
    struct sigaction action = {};
    action.sa_handler = [](int) { ++handled; };
    action.sa_flags = SA_RESTART;  // as in most programs
    sigaction(SIGUSR1, &action, &before_);
    holder_ = atmost::Named(path("a")).get_lock(limits_);
    ASSERT_TRUE(holder_) << holder_.reason();
    limits_.set("wait", 120);
    limits_.interruptible();
  }
  void TearDown() override {
    holder_.release();
    sigaction(SIGUSR1, &before_, nullptr);
    Library::TearDown();
  }

  static void block(int how) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(how, &one, nullptr);
  }

  atmost::Held holder_;
  struct sigaction before_ = {};
  sigset_t none_ = {};
};

// The signal is blocked until the wait lets it through, so that it comes before, at the beginning
// of or during the wait: none is lost, or this takes two minutes a piece and fails.
TEST_F(Interrupt, EndsAWaitWheneverItComes) {
  sigemptyset(&none_);
  limits_.interruptible(&none_);
  for (int round = 0; round < 300; ++round) {
    std::atomic<bool> ready{false};
    std::atomic<int> answer{-1};
    std::thread waiter([&] {
      block(SIG_BLOCK);
      ready = true;
      answer = atmost::Named(path("a")).get_lock(limits_).answer();
    });
    while (!ready) std::this_thread::yield();
    const auto sent = std::chrono::steady_clock::now() + round * 5us;
    while (std::chrono::steady_clock::now() < sent) {
    }
    pthread_kill(waiter.native_handle(), SIGUSR1);
    waiter.join();
    ASSERT_EQ(answer, ATMOST_INTERRUPTED) << "round " << round;
    ASSERT_EQ(handled, round + 1);
  }
}

TEST_F(Interrupt, GivesThePlaceInTheQueueUp) {
  std::atomic<int> answer{-1};
  std::thread waiter([&] {
    const atmost::Held held = atmost::Named(path("a")).get_lock(limits_);
    answer = held.answer();
  });
  const std::string waits =
      std::string(getenv("ATMOST_BIN")) + "/atmost list " + path("a") + " | grep -q wait";
  ASSERT_TRUE(eventually([&] { return system(waits.c_str()) == 0; }));
  pthread_kill(waiter.native_handle(), SIGUSR1);
  waiter.join();
  EXPECT_EQ(answer, ATMOST_INTERRUPTED);
  EXPECT_NE(system(waits.c_str()), 0);
  holder_.release();
  limits_.set("wait", 0);
  EXPECT_TRUE(atmost::Named(path("a")).get_lock(limits_));
}

// The second in the queue waits for the first one's place, not for the slot.
TEST_F(Interrupt, EndsAWaitBehindAnotherWaiter) {
  std::atomic<int> first{-1};
  std::atomic<int> second{-1};
  std::thread one([&] { first = atmost::Named(path("a")).get_lock(limits_).answer(); });
  const std::string list = std::string(getenv("ATMOST_BIN")) + "/atmost list " + path("a");
  const auto waiting = [&](const char* count) {
    return system((list + " | grep -c wait | grep -qx " + count).c_str()) == 0;
  };
  ASSERT_TRUE(eventually([&] { return waiting("1"); }));
  std::thread two([&] { second = atmost::Named(path("a")).get_lock(limits_).answer(); });
  ASSERT_TRUE(eventually([&] { return waiting("2"); }));
  pthread_kill(two.native_handle(), SIGUSR1);
  two.join();
  EXPECT_EQ(second, ATMOST_INTERRUPTED);
  EXPECT_EQ(first, -1);
  holder_.release();
  one.join();
  EXPECT_EQ(first, ATMOST_ADMITTED);
}

TEST_F(Interrupt, IsAskedForOrTheWaitGoesOn) {
  limits_ = atmost::Limits().set("wait", 120);
  std::atomic<int> answer{-1};
  std::thread waiter([&] { answer = atmost::Named(path("a")).get_lock(limits_).answer(); });
  const std::string waits =
      std::string(getenv("ATMOST_BIN")) + "/atmost list " + path("a") + " | grep -q wait";
  ASSERT_TRUE(eventually([&] { return system(waits.c_str()) == 0; }));
  for (int i = 1; i <= 20; ++i) {
    pthread_kill(waiter.native_handle(), SIGUSR1);
    ASSERT_TRUE(eventually([&] { return handled == i; }));
  }
  EXPECT_EQ(answer, -1);
  holder_.release();
  waiter.join();
  EXPECT_EQ(answer, ATMOST_ADMITTED);
}

// The thread's mask is as before, whatever the answer.
TEST_F(Interrupt, LeavesTheMaskAsItWas) {
  limits_.set("wait", 0.01);
  sigset_t before;
  sigset_t after;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_BUSY);
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (int signal = 1; signal < 32; ++signal) {
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal)) << signal;
  }
}

}  // namespace
