// What the options of the second version mean. The witness is a lock query by a stranger, or atmost
// itself.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <cmath>
#include <cstddef>

#include "library_kit.h"

namespace {

class Options : public Library {
 protected:
  int get(const char* file, const atmost_options& options, atmost_lock** lock) {
    return atmost_get(path(file).c_str(), &options, lock);
  }
  bool says(const std::string& arguments, const std::string& wanted) const {
    const std::string line = std::string(getenv("ATMOST_BIN")) + "/atmost " + arguments +
                             " 2>&1 | grep -q '" + wanted + "'";
    return system(line.c_str()) == 0;
  }
  // The code of `atmost ARGUMENTS`.
  static int code(const std::string& arguments) {
    const std::string line = std::string(getenv("ATMOST_BIN")) + "/atmost " + arguments;
    const int status = system((line + " >/dev/null 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(Options, ReadersAreTogetherAndAWriterAlone) {
  limits_.sharing = ATMOST_SHARED;
  const atmost::Held one = atmost::Named(path("a")).get_lock(limits_);
  const atmost::Held two = atmost::Named(path("a")).get_lock(limits_);
  EXPECT_TRUE(one);
  EXPECT_TRUE(two) << two.reason();
  EXPECT_EQ(code("run --shared " + path("a") + " true"), 0);
  EXPECT_EQ(code("run --exclusive " + path("a") + " true"), 75);
  limits_.sharing = ATMOST_EXCLUSIVE;
  EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_BUSY);
  const atmost::Held writer = atmost::Named(path("b")).get_lock(limits_);
  EXPECT_TRUE(writer);
  EXPECT_EQ(code("run --shared " + path("b") + " true"), 75);
  EXPECT_EQ(code("run -n 9 " + path("b") + " true"), 75);
}

TEST_F(Options, TakesSeveralLocksAllOrNone) {
  const std::string b = path("b");
  const std::string c = "2@" + path("c");
  const char* const others[] = {b.c_str(), c.c_str(), nullptr};
  limits_.also = others;
  {
    const atmost::Held all = atmost::Named(path("a")).get_lock(limits_);
    ASSERT_TRUE(all) << all.reason();
    for (const char* file : {"a", "b", "c"}) EXPECT_TRUE(held(path(file))) << file;
    EXPECT_EQ(code("run -n 2 " + path("c") + " true"), 0);
    EXPECT_EQ(code("run -n 1 " + path("c") + " true"), 75);
  }
  for (const char* file : {"a", "b", "c"}) EXPECT_FALSE(held(path(file))) << file;
  atmost::Limits plain;
  const atmost::Held holder = atmost::Named(b).get_lock(plain);
  const atmost::Held none = atmost::Named(path("a")).get_lock(limits_);
  EXPECT_EQ(none.answer(), ATMOST_BUSY);
  EXPECT_NE(none.reason().find(b), std::string::npos) << none.reason();
  EXPECT_FALSE(held(path("a")));
  const char* const twice[] = {b.c_str(), b.c_str(), nullptr};
  limits_.also = twice;
  EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_USAGE);
}

TEST_F(Options, JoinsTheOneThatWaits) {
  const atmost::Held holder = atmost::Named(path("a")).get_lock(limits_);
  limits_.on_busy = ATMOST_JOIN;
  EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_USAGE);
  limits_.wait = 120;
  std::atomic<int> waiter{-1};
  std::thread first([&] { waiter = atmost::Named(path("a")).get_lock(limits_).answer(); });
  ASSERT_TRUE(eventually([&] { return says("list " + path("a"), "wait"); }));
  EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_BUSY);
  EXPECT_STREQ(atmost_why(), "joined");
  const_cast<atmost::Held&>(holder).release();
  first.join();
  EXPECT_EQ(waiter, ATMOST_ADMITTED);
}

// A child that holds `a` and `b` and writes a byte when it has lost them.
class Replaced : public Options {
 protected:
  void hold_both() {
    ASSERT_EQ(pipe(lost_), 0);
    child_ = fork();
    if (child_ == 0) {
      const std::string b = path("b");
      const char* const others[] = {b.c_str(), nullptr};
      limits_.also = others;
      limits_.context = &lost_[1];
      limits_.on_lost = [](void* context, std::uint64_t) {
        (void)!write(*static_cast<int*>(context), "", 1);
      };
      const atmost::Held both = atmost::Named(path("a")).get_lock(limits_);
      for (;;) pause();
    }
    close(lost_[1]);
    ASSERT_TRUE(eventually([&] { return held(path("a")) && held(path("b")); }));
  }
  void expect_lost() {
    struct pollfd lost = {lost_[0], POLLIN, 0};
    EXPECT_EQ(poll(&lost, 1, 10'000), 1);
    EXPECT_EQ(waitpid(child_, nullptr, WNOHANG), 0);
  }
  void TearDown() override {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    close(lost_[0]);
    Options::TearDown();
  }
  int lost_[2] = {};
  pid_t child_ = -1;
};

TEST_F(Replaced, ByACommandThroughTheSecondOfItsLocks) {
  hold_both();
  EXPECT_EQ(code("run " + path("b") + " true"), 75);
  EXPECT_EQ(code("run --on-busy=replace " + path("b") + " true"), 0);
  expect_lost();
  EXPECT_FALSE(held(path("a")));
}

TEST_F(Replaced, ByAnotherUserOfTheLibrary) {
  hold_both();
  EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_BUSY);
  limits_.on_busy = ATMOST_REPLACE;
  const atmost::Held taken = atmost::Named(path("a")).get_lock(limits_);
  EXPECT_TRUE(taken) << taken.reason();
  expect_lost();
  EXPECT_FALSE(held(path("b")));
}

TEST_F(Options, MeasuresFromTheLastSuccess) {
  const atmost::Named once(path("a"));
  limits_.elapsed_from = ATMOST_FROM_SUCCESS;
  limits_.if_elapsed = 900;
  {
    atmost::Held failed = once.get_lock(limits_);
    ASSERT_TRUE(failed);
    failed.release(false);
  }
  {
    atmost::Held done = once.get_lock(limits_);
    ASSERT_TRUE(done) << done.reason();
    done.release(true);
  }
  EXPECT_EQ(once.get_lock(limits_).answer(), ATMOST_TOO_SOON);
  limits_.elapsed_from = 3;
  EXPECT_EQ(once.get_lock(limits_).answer(), ATMOST_USAGE);
}

TEST_F(Options, WaitsWhileItIsTooSoon) {
  const atmost::Named lock(path("a"));
  limits_.if_elapsed = 0.2;
  limits_.wait = 60;
  limits_.wait_too_soon = 1;
  { ASSERT_TRUE(lock.get_lock(limits_)); }
  EXPECT_TRUE(lock.get_lock(limits_));
  limits_.wait_too_soon = 0;
  limits_.if_elapsed = 900;
  EXPECT_EQ(lock.get_lock(limits_).answer(), ATMOST_TOO_SOON);
}

TEST_F(Options, ReleasesWhatIsHeldForTooLong) {
  std::atomic<int> lost{0};
  limits_.max_hold = 0.05;
  EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_USAGE);
  limits_.context = &lost;
  limits_.on_lost = [](void* context, std::uint64_t) {
    ++*static_cast<std::atomic<int>*>(context);
  };
  const atmost::Held lock = atmost::Named(path("a")).get_lock(limits_);
  ASSERT_TRUE(eventually([&] { return lost == 1; }));
  EXPECT_FALSE(lock);
  EXPECT_FALSE(held(path("a")));
  EXPECT_TRUE(says("history --json " + path("a"), "max_runtime"));
  limits_.max_hold = 3600;
  { const atmost::Held soon_over = atmost::Named(path("a")).get_lock(limits_); }
  EXPECT_EQ(lost, 1);
}

TEST_F(Options, LearnsLimitsThatAreAuto) {
  const atmost::Named lock(path("a"));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(lock.get_lock(limits_));
  }
  EXPECT_TRUE(says("tune --json " + path("a"), "\"runs\":0\\|\"completed\":0"));
  limits_.expire_after = ATMOST_AUTO;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(lock.get_lock(limits_));
  }
  EXPECT_TRUE(says("tune --json " + path("a"), "\"runs\":10\\|\"completed\":10"));
  limits_.no_learn = 1;
  ASSERT_TRUE(lock.get_lock(limits_));
  EXPECT_TRUE(says("tune --json " + path("a"), "\"runs\":10\\|\"completed\":10"));
}

TEST_F(Options, IsRefusedADrainedLock) {
  { ASSERT_TRUE(atmost::Named(path("a")).get_lock(limits_)); }
  ASSERT_EQ(code("drain " + path("a")), 0);
  EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_BUSY);
  EXPECT_STREQ(atmost_why(), "drained");
  ASSERT_EQ(code("resume " + path("a")), 0);
  EXPECT_TRUE(atmost::Named(path("a")).get_lock(limits_));
}

TEST_F(Options, ThatAreNoNumberAreRefused) {
  double atmost_options::*const fields[] = {
      &atmost_options::wait,       &atmost_options::if_elapsed, &atmost_options::expire_after,
      &atmost_options::kill_grace, &atmost_options::now,        &atmost_options::max_hold};
  limits_.on_lost = [](void*, std::uint64_t) {};
  for (double atmost_options::*const field : fields) {
    atmost::Limits wrong = limits_;
    wrong.*field = NAN;
    const atmost::Held none = atmost::Named(path("a")).get_lock(wrong);
    EXPECT_EQ(none.answer(), ATMOST_USAGE) << none.reason();
  }
  EXPECT_EQ(atmost_beat(NAN), -1);
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_get_lock("edit", "x", 0, INFINITY, nullptr, NAN, &lock), ATMOST_USAGE);
}

// A program compiled with the header before has no fields behind wait_mask.
TEST_F(Options, OfThePreviousVersionStillWork) {
  limits_.size = offsetof(atmost_options, sharing);
  limits_.sharing = 77;
  limits_.on_busy = -1;
  EXPECT_TRUE(atmost::Named(path("a")).get_lock(limits_));
  limits_.size = sizeof limits_;
  EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_USAGE);
}

}  // namespace
