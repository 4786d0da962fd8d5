// The meaning of options. The witness is a lock query by a stranger, or atmost
// itself.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <cmath>

#include "library_kit.h"

namespace {

class Options : public Library {
 protected:
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
  limits_.set("shared");
  const atmost::Held one = atmost::Named(path("a")).get_lock(limits_);
  const atmost::Held two = atmost::Named(path("a")).get_lock(limits_);
  EXPECT_TRUE(one);
  EXPECT_TRUE(two) << two.reason();
  EXPECT_EQ(code("run --shared " + path("a") + " true"), 0);
  EXPECT_EQ(code("run --exclusive " + path("a") + " true"), 75);
  limits_ = atmost::Limits().set("exclusive");
  EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_BUSY);
  const atmost::Held writer = atmost::Named(path("b")).get_lock(limits_);
  EXPECT_TRUE(writer);
  EXPECT_EQ(code("run --shared " + path("b") + " true"), 75);
  EXPECT_EQ(code("run -n 9 " + path("b") + " true"), 75);
}

TEST_F(Options, TakesSeveralLocksAllOrNone) {
  const std::string b = path("b");
  const atmost::Limits one = limits_;
  limits_.set("also", b).set("also", "2@" + path("c"));
  {
    const atmost::Held all = atmost::Named(path("a")).get_lock(limits_);
    ASSERT_TRUE(all) << all.reason();
    for (const char* file : {"a", "b", "c"}) EXPECT_TRUE(held(path(file))) << file;
    EXPECT_EQ(code("run -n 2 " + path("c") + " true"), 0);
    EXPECT_EQ(code("run -n 1 " + path("c") + " true"), 75);
  }
  for (const char* file : {"a", "b", "c"}) EXPECT_FALSE(held(path(file))) << file;
  const atmost::Held holder = atmost::Named(b).get_lock();
  const atmost::Held none = atmost::Named(path("a")).get_lock(limits_);
  EXPECT_EQ(none.answer(), ATMOST_BUSY);
  EXPECT_NE(none.reason().find(b), std::string::npos) << none.reason();
  EXPECT_FALSE(held(path("a")));
  limits_ = one;
  limits_.set("also", b).set("also", b);
  EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_USAGE);
}

TEST_F(Options, JoinsTheOneThatWaits) {
  const atmost::Held holder = atmost::Named(path("a")).get_lock(limits_);
  limits_.set("on_busy", "join");
  limits_.set("wait", 120);
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
      limits_.set("also", path("b"));
      limits_.on_lost(
          [](void* context, std::uint64_t) { (void)!write(*static_cast<int*>(context), "", 1); },
          &lost_[1]);
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
  limits_.set("on_busy", "replace");
  const atmost::Held taken = atmost::Named(path("a")).get_lock(limits_);
  EXPECT_TRUE(taken) << taken.reason();
  expect_lost();
  EXPECT_FALSE(held(path("b")));
}

TEST_F(Options, MeasuresFromTheLastSuccess) {
  const atmost::Named once(path("a"));
  limits_.set("elapsed_from", "success");
  limits_.set("if_elapsed", 900);
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
  limits_.set("elapsed_from", "3");
  EXPECT_EQ(once.get_lock(limits_).answer(), ATMOST_USAGE);
}

TEST_F(Options, WaitsWhileItIsTooSoon) {
  const atmost::Named lock(path("a"));
  limits_.set("if_elapsed", 0.2);
  limits_.set("wait", 60);
  limits_.set("on_too_soon", "wait");
  { ASSERT_TRUE(lock.get_lock(limits_)); }
  EXPECT_TRUE(lock.get_lock(limits_));
  limits_.set("on_too_soon", "fail");
  limits_.set("if_elapsed", 900);
  EXPECT_EQ(lock.get_lock(limits_).answer(), ATMOST_TOO_SOON);
}

TEST_F(Options, ReleasesWhatIsHeldForTooLong) {
  std::atomic<int> lost{0};
  limits_.set("max_runtime", 0.05);
  EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_USAGE);
  limits_.on_lost([](void* context, std::uint64_t) { ++*static_cast<std::atomic<int>*>(context); },
                  &lost);
  const atmost::Held lock = atmost::Named(path("a")).get_lock(limits_);
  ASSERT_TRUE(eventually([&] { return lost == 1; }));
  EXPECT_FALSE(lock);
  EXPECT_FALSE(held(path("a")));
  EXPECT_TRUE(says("history --json " + path("a"), "max_runtime"));
  limits_.set("max_runtime", 3600);
  { const atmost::Held soon_over = atmost::Named(path("a")).get_lock(limits_); }
  EXPECT_EQ(lost, 1);
}

TEST_F(Options, LearnsLimitsThatAreAuto) {
  const atmost::Named lock(path("a"));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(lock.get_lock(limits_));
  }
  EXPECT_TRUE(says("tune --json " + path("a"), "\"runs\":0\\|\"completed\":0"));
  limits_.set("expire_after", atmost::kAuto);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(lock.get_lock(limits_));
  }
  EXPECT_TRUE(says("tune --json " + path("a"), "\"runs\":10\\|\"completed\":10"));
  limits_.set("no_learn");
  ASSERT_TRUE(lock.get_lock(limits_));
  EXPECT_TRUE(says("tune --json " + path("a"), "\"runs\":10\\|\"completed\":10"));
}

TEST_F(Options, IsRefusedADrainedLock) {
  { ASSERT_TRUE(atmost::Named(path("a")).get_lock(limits_)); }
  ASSERT_EQ(code("drain --create " + path("a")), 0);
  EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_BUSY);
  EXPECT_STREQ(atmost_why(), "drained");
  ASSERT_EQ(code("resume " + path("a")), 0);
  EXPECT_TRUE(atmost::Named(path("a")).get_lock(limits_));
}

TEST_F(Options, OfAnAtomThatIsTooLongToBeKeptAreRefused) {
  const atmost::Held none = atmost::Atom(std::string(30'000, 'o'), "a").get_lock(limits_);
  EXPECT_EQ(none.answer(), ATMOST_USAGE);
  EXPECT_EQ(none.reason(), "lock: longer than can be kept");
}

TEST_F(Options, BeyondTheRoomForThemAreRefused) {
  limits_.set("dir", std::string(30'000, 'd'));
  limits_.set("shared");
  const atmost::Held none = atmost::Named(path("a")).get_lock(limits_);
  EXPECT_EQ(none.answer(), ATMOST_USAGE);
  EXPECT_NE(none.reason().find("longer than can be kept"), std::string::npos) << none.reason();
}

TEST_F(Options, ThatAreSetOftenCountOnce) {
  for (int i = 0; i < 1'000; ++i) limits_.set("wait", i);
  limits_.set("on_busy", "no such action").set("on_busy", "fail");
  limits_.set("max", 2);
  const atmost::Held one = atmost::Named(path("a")).get_lock(limits_);
  ASSERT_TRUE(one) << one.reason();

  atmost_request* const request = atmost_new(path("a").c_str());
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_EQ(atmost_set_number(request, "max", 1 + i % 2), ATMOST_ADMITTED);
    EXPECT_EQ(atmost_set(request, "shared", i % 2 == 0 ? "true" : "false"), ATMOST_ADMITTED);
  }
  atmost_lock* two = nullptr;
  EXPECT_EQ(atmost_get(request, &two), ATMOST_ADMITTED) << atmost_message();
  atmost_free(request);
  EXPECT_EQ(code("run -n 2 " + path("a") + " true"), 75);
  EXPECT_EQ(code("run -n 3 " + path("a") + " true"), 0);
  if (two != nullptr) atmost_release(two, 1);
}

TEST_F(Options, BehindAWrongOneAnswerForThemselves) {
  atmost_request* const request = atmost_new(path("a").c_str());
  EXPECT_EQ(atmost_set_number(request, "max", 0), ATMOST_USAGE);
  EXPECT_EQ(atmost_set(request, "wait", "5s"), ATMOST_ADMITTED) << atmost_message();
  EXPECT_EQ(atmost_set(request, "wait", "soon"), ATMOST_USAGE);
  EXPECT_EQ(std::string(atmost_message()).find("wait: "), 0u) << atmost_message();
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_get(request, &lock), ATMOST_USAGE);
  EXPECT_EQ(std::string(atmost_message()).find("max: "), 0u) << atmost_message();
  atmost_free(request);
}

TEST_F(Options, OfAnotherLockAreReadAsTheCommandLineReadsThem) {
  const std::string limit = "99999999999@" + path("b");
  limits_.set("also", limit);
  const atmost::Held none = atmost::Named(path("a")).get_lock(limits_);
  EXPECT_EQ(none.answer(), ATMOST_USAGE);
  EXPECT_TRUE(says("run --also " + limit + " " + path("a") + " true", none.reason()))
      << none.reason();
}

TEST_F(Options, ThatAreNoNumberAreRefused) {
  limits_.on_lost([](void*, std::uint64_t) {}, nullptr);
  for (const char* option :
       {"wait", "if_elapsed", "expire_after", "kill_grace", "now", "max_runtime"}) {
    for (const double wrong : {std::nan(""), -1.0, -HUGE_VAL}) {
      const atmost::Held none =
          atmost::Named(path("a")).get_lock(atmost::Limits(limits_).set(option, wrong));
      EXPECT_EQ(none.answer(), ATMOST_USAGE) << none.reason();
    }
  }
  EXPECT_EQ(atmost_beat(NAN), -1);
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_get_lock("edit", "x", 0, INFINITY, nullptr, NAN, &lock), ATMOST_USAGE);
}

}  // namespace
