// Overdue holders: those that are notified, those that are stopped, and those that are left alone.
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <cmath>

#include "library_kit.h"

namespace {

struct Loss {
  std::atomic<std::uint64_t> token{0};
  static void tell(void* context, std::uint64_t token) {
    static_cast<Loss*>(context)->token = token;
  }
};

TEST_F(Library, ATakerRevokesTheLockAndTheProgramIsTold) {
  Loss loss;
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    limits_.on_lost(Loss::tell, &loss);
    atmost_lock* lock = nullptr;
    if (get_by(path("a").c_str(), limits_, &lock) != ATMOST_ADMITTED) _exit(1);
    const std::uint64_t token = atmost_token(lock);
    (void)!write(told[1], "h", 1);
    if (!eventually([&] { return loss.token != 0; })) _exit(2);
    const bool right = loss.token == token && atmost_held(lock) == 0;
    atmost_release(lock, 1);
    (void)!write(told[1], right ? "l" : "?", 1);
    for (;;) pause();
  }
  char mark = 0;
  ASSERT_EQ(read(told[0], &mark, 1), 1);
  atmost::Limits taker = limits_;
  taker.set("expire_after", 0);
  taker.set("kill_grace", 5);
  const atmost::Held taken = atmost::Named(path("a")).get_lock(taker);
  EXPECT_TRUE(taken) << taken.reason();
  ASSERT_EQ(read(told[0], &mark, 1), 1);
  EXPECT_EQ(mark, 'l');
  EXPECT_EQ(kill(holder, 0), 0);  // notified, not killed
  kill(holder, SIGKILL);
  ASSERT_EQ(waitpid(holder, nullptr, 0), holder);
  close(told[0]);
  close(told[1]);
}

// The note may come when the holder that it is for has just released the slot.
TEST_F(Library, ANoteToAnEarlierHolderIsNotForTheNextOne) {
  ASSERT_TRUE(atmost::Named(path("a")).get_lock(limits_));
  constexpr off_t kFlagsOfSlot1 = (2 << 20) + 4;
  const std::uint32_t note = 2;
  const int fd = open(path("a").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(pwrite(fd, &note, sizeof note, kFlagsOfSlot1), 4);
  Loss loss;
  limits_.on_lost(Loss::tell, &loss);
  {
    const atmost::Held lock = atmost::Named(path("a")).get_lock(limits_);
    ASSERT_TRUE(lock) << lock.reason();
    std::uint32_t flags = note;
    EXPECT_EQ(pread(fd, &flags, sizeof flags, kFlagsOfSlot1), 4);
    EXPECT_EQ(flags, 0u);
  }
  EXPECT_EQ(loss.token, 0u);
  close(fd);
}

TEST_F(Library, AProgramThatAgreedToNothingKeepsItsLockAndItsLife) {
  const pid_t holder = fork();
  if (holder == 0) {
    atmost_lock* lock = nullptr;
    if (get_by(path("a").c_str(), limits_, &lock) != ATMOST_ADMITTED) _exit(1);
    for (;;) pause();
  }
  ASSERT_TRUE(eventually([&] { return held(path("a")); }));
  atmost::Limits taker = limits_;
  taker.set("expire_after", 0);
  const atmost::Held taken = atmost::Named(path("a")).get_lock(taker);
  EXPECT_FALSE(taken);
  EXPECT_EQ(taken.answer(), ATMOST_BUSY);
  EXPECT_STREQ(atmost_why(), "immune");
  const std::string words =
      "its holder is overdue, and may not be stopped: process " + std::to_string(holder);
  EXPECT_NE(taken.reason().find(words), std::string::npos) << taken.reason();
  EXPECT_EQ(kill(holder, 0), 0);
  EXPECT_TRUE(held(path("a")));
  kill(holder, SIGKILL);
  ASSERT_EQ(waitpid(holder, nullptr, 0), holder);
}

TEST_F(Library, AProgramThatOptedInIsStopped) {
  const pid_t holder = fork();
  if (holder == 0) {
    limits_.set("may_be_killed", "yes");
    atmost_lock* lock = nullptr;
    if (get_by(path("a").c_str(), limits_, &lock) != ATMOST_ADMITTED) _exit(1);
    for (;;) pause();
  }
  ASSERT_TRUE(eventually([&] { return held(path("a")); }));
  std::thread reaper([&] { waitpid(holder, nullptr, 0); });
  atmost::Limits taker = limits_;
  taker.set("expire_after", 0);
  const atmost::Held taken = atmost::Named(path("a")).get_lock(taker);
  EXPECT_TRUE(taken) << taken.reason();
  reaper.join();
}

// The paper's way: one word of the program, and GetLock() does the rest on both sides.
class Paper : public Library {
 protected:
  void SetUp() override {
    Library::SetUp();
    setenv("ATMOST_DIR", directory_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("ATMOST_DIR");
    Library::TearDown();
  }

  // A child that takes the atom after `prepare`, and hangs.
  template <class Prepare>
  pid_t hang(Prepare prepare) {
    int told[2];
    EXPECT_EQ(pipe(told), 0);
    const pid_t holder = fork();
    if (holder == 0) {
      prepare();
      atmost_lock* lock = nullptr;
      const int answer = atmost_get_lock("edit", "motd", 0, INFINITY, nullptr, -1, &lock);
      (void)!write(told[1], answer == ATMOST_ADMITTED ? "h" : "?", 1);
      for (;;) pause();
    }
    char mark = 0;
    EXPECT_EQ(read(told[0], &mark, 1), 1);
    EXPECT_EQ(mark, 'h');
    close(told[0]);
    close(told[1]);
    return holder;
  }

  static void end(pid_t holder) {
    kill(holder, SIGKILL);
    EXPECT_EQ(waitpid(holder, nullptr, 0), holder);
  }
};

TEST_F(Paper, AProgramThatSaidSoOnceIsStopped) {
  const pid_t holder = hang([] { EXPECT_EQ(atmost_may_be_killed(1), 0); });
  std::atomic<int> status{-1};
  std::thread reaper([&] {
    int ended = 0;
    waitpid(holder, &ended, 0);
    status = ended;
  });
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_get_lock("edit", "motd", 0, 0, nullptr, -1, &lock), ATMOST_ADMITTED)
      << atmost_message();
  atmost_release(lock, 1);
  if (lock == nullptr) kill(holder, SIGKILL);
  reaper.join();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
}

TEST_F(Paper, AProgramThatSaidNothingIsNamedAndLeftAlone) {
  const pid_t holder = hang([] {});
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_get_lock("edit", "motd", 0, 0, nullptr, -1, &lock), ATMOST_BUSY);
  EXPECT_STREQ(atmost_why(), "immune");
  const std::string words = atmost_message();
  EXPECT_NE(words.find("overdue, and may not be stopped: process " + std::to_string(holder)),
            std::string::npos)
      << words;
  EXPECT_EQ(kill(holder, 0), 0);
  end(holder);
}

TEST_F(Paper, AProgramMayTakeItsWordBack) {
  const pid_t holder = hang([] {
    EXPECT_EQ(atmost_may_be_killed(1), 0);
    EXPECT_EQ(atmost_may_be_killed(0), 1);
  });
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_get_lock("edit", "motd", 0, 0, nullptr, -1, &lock), ATMOST_BUSY);
  end(holder);
}

// It waits in the queue, and is served when the holder ends by itself.
TEST_F(Paper, WhoMayNotStopTheHolderWaitsForIt) {
  const pid_t holder = hang([] {});
  limits_ = {};
  limits_.set("expire_after", 0);
  limits_.set("wait", 60);
  std::atomic<int> answer{-1};
  std::thread waiter([&] { answer = atmost::Atom("edit", "motd").get_lock(limits_).answer(); });
  const std::string list =
      std::string(getenv("ATMOST_BIN")) + "/atmost list edit:motd | grep -q wait";
  EXPECT_TRUE(eventually([&] { return system(list.c_str()) == 0; }));
  EXPECT_EQ(answer, -1);
  end(holder);
  waiter.join();
  EXPECT_EQ(answer, ATMOST_ADMITTED);
}

TEST_F(Paper, AnOptionOfTheLockCountsMoreThanTheProgramsWord) {
  ASSERT_EQ(atmost_may_be_killed(1), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    limits_.set("may_be_killed", "no");
    atmost_lock* lock = nullptr;
    if (get_by(path("a").c_str(), limits_, &lock) != ATMOST_ADMITTED) _exit(1);
    for (;;) pause();
  }
  ASSERT_EQ(atmost_may_be_killed(0), 1);
  ASSERT_TRUE(eventually([&] { return held(path("a")); }));
  atmost::Limits taker = limits_;
  taker.set("expire_after", 0);
  EXPECT_FALSE(atmost::Named(path("a")).get_lock(taker));
  EXPECT_STREQ(atmost_why(), "immune");
  end(holder);
}

}  // namespace
