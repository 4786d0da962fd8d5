// The C library from outside: threads, forks, stray closes, takers. The witness is a lock query by a stranger.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "atmost/atom.h"

namespace {

using namespace std::chrono_literals;

class Library : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/atmost-library.XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    directory_ = name;
    limits_.directory = directory_.c_str();
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string path(const char* file) const { return directory_ + "/" + file; }

  // Whether somebody holds slot 1 of the file, asked by a process that has nothing to do with it.
  static bool held(const std::string& file) {
    const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    struct flock range = {};
    range.l_type = F_WRLCK;
    range.l_start = 8;
    range.l_len = 1;
    EXPECT_EQ(fcntl(fd, F_OFD_GETLK, &range), 0);
    close(fd);
    return range.l_type != F_UNLCK;
  }

  template <class Condition>
  static bool eventually(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(2ms);
    }
    return true;
  }

  std::string directory_;
  atmost::Limits limits_;
};

TEST_F(Library, HoldsOneAtATimeAndReleasesInTheDestructor) {
  {
    const atmost::Held first = atmost::Named(path("a")).get_lock(limits_);
    ASSERT_TRUE(first) << first.reason();
    EXPECT_EQ(first.slot(), 1u);
    EXPECT_TRUE(held(path("a")));
    const atmost::Held second = atmost::Named(path("a")).get_lock(limits_);
    EXPECT_FALSE(second);
    EXPECT_EQ(second.answer(), ATMOST_BUSY);
    EXPECT_NE(second.reason().find("1 of 1 slots held"), std::string::npos) << second.reason();
  }
  EXPECT_FALSE(held(path("a")));
}

TEST_F(Library, TellsTooSoonAndWhenToComeBack) {
  const atmost::Atom atom("edit", "/etc/motd");
  limits_.if_elapsed = 900;
  limits_.now = 1'000'000'000;
  const std::uint64_t token = atom.get_lock(limits_).token();
  EXPECT_GT(token, 0u);
  limits_.now += 600.5;
  const atmost::Held soon = atom.get_lock(limits_);
  EXPECT_EQ(soon.answer(), ATMOST_TOO_SOON);
  EXPECT_NEAR(soon.retry_in(), 299.5, 0.001);
  limits_.now += 300;
  const atmost::Held later = atom.get_lock(limits_);
  EXPECT_TRUE(later) << later.reason();
  EXPECT_GT(later.token(), token);
}

TEST_F(Library, NeverGivesTwoAtomsOneFile) {
  const atmost::Held slash = atmost::Atom("edit", "a/b").get_lock(limits_);
  const atmost::Held underscore = atmost::Atom("edit", "a_b").get_lock(limits_);
  const atmost::Held up = atmost::Atom("edit", "../../" + std::string(5000, 'x')).get_lock(limits_);
  EXPECT_TRUE(slash);
  EXPECT_TRUE(underscore);
  EXPECT_TRUE(up) << up.reason();
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_))
    files += entry.is_regular_file();
  EXPECT_EQ(files, 3);
}

TEST_F(Library, ReleasesTheCallingThreadsLastLock) {
  atmost_lock* outer = nullptr;
  atmost_lock* inner = nullptr;
  ASSERT_EQ(atmost_get(path("outer").c_str(), &limits_, &outer), ATMOST_ADMITTED);
  ASSERT_EQ(atmost_get(path("inner").c_str(), &limits_, &inner), ATMOST_ADMITTED);
  std::thread([] { atmost_release_current_lock(); }).join();  // that thread has none
  EXPECT_TRUE(held(path("inner")));
  atmost_release_current_lock();
  EXPECT_FALSE(held(path("inner")));
  EXPECT_TRUE(held(path("outer")));
  atmost_release_current_lock();
  EXPECT_FALSE(held(path("outer")));
  atmost_release_current_lock();
}

TEST_F(Library, ExcludesThreadsLikeProcesses) {
  limits_.max = 3;
  limits_.wait = INFINITY;
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 25; ++round) {
        const atmost::Held slot = atmost::Named(path("threads")).get_lock(limits_);
        if (!slot) ++refused;
        const int now = ++inside;
        int seen = most.load();
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        std::this_thread::yield();
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused.load(), 0);
  EXPECT_LE(most.load(), 3);
}

TEST_F(Library, KeepsItsLockWhenTheProgramOpensAndClosesTheFile) {
  const atmost::Held lock = atmost::Named(path("a")).get_lock(limits_);
  ASSERT_TRUE(lock);
  close(open(path("a").c_str(), O_RDWR));
  EXPECT_TRUE(held(path("a")));
}

TEST_F(Library, AForkedChildsReleaseDoesNotFreeTheParentsLock) {
  atmost_lock* lock = nullptr;
  ASSERT_EQ(atmost_get(path("a").c_str(), &limits_, &lock), ATMOST_ADMITTED);
  const pid_t child = fork();
  if (child == 0) {
    atmost_release(lock, 1);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(held(path("a")));
  atmost_release(lock, 1);
  EXPECT_FALSE(held(path("a")));
}

// Whatever other threads of the program are in the midst of.
TEST_F(Library, AForkedChildOfAThreadedProgramIsNotStuck) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      atmost::Limits wrong = limits_;
      wrong.max = 0;  // refused at once: all of the time goes into the library itself
      atmost_lock* lock = nullptr;
      while (!stop) (void)atmost_get(path("a").c_str(), &wrong, &lock);
    });
  }
  int stuck = 0;
  for (int round = 0; round < 400 && stuck == 0; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      atmost_lock* lock = nullptr;
      const int answer = atmost_get(path("child").c_str(), &limits_, &lock);
      if (answer == ATMOST_ADMITTED) atmost_release(lock, 1);
      _exit(answer);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    if (status != 0) ++stuck;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stuck, 0);
}

// The callback's thread does not exist in a child, whatever it was doing.
TEST_F(Library, AForkedChildLetsGoOfALockThatListens) {
  limits_.on_lost = [](void*, std::uint64_t) {};
  atmost_lock* lock = nullptr;
  ASSERT_EQ(atmost_get(path("a").c_str(), &limits_, &lock), ATMOST_ADMITTED);
  for (int round = 0; round < 50; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      const bool told = atmost_held(lock) != 0;
      atmost_release(lock, 1);
      atmost_lock* own = nullptr;
      const int answer = atmost_get(path("child").c_str(), &limits_, &own);
      if (answer == ATMOST_ADMITTED) atmost_release(own, 1);
      _exit(told ? answer : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  EXPECT_TRUE(held(path("a")));
  atmost_release(lock, 1);
  EXPECT_FALSE(held(path("a")));
}

TEST_F(Library, AKilledProgramFreesItsLock) {
  const pid_t child = fork();
  if (child == 0) {
    atmost_lock* lock = nullptr;
    if (atmost_get(path("a").c_str(), &limits_, &lock) != ATMOST_ADMITTED) _exit(1);
    for (;;) pause();
  }
  ASSERT_TRUE(eventually([&] { return held(path("a")); }));
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(held(path("a")));
}

struct Loss {
  std::atomic<std::uint64_t> token{0};
  static void tell(void* context, std::uint64_t token) { static_cast<Loss*>(context)->token = token; }
};

TEST_F(Library, ATakerRevokesTheLockAndTheProgramIsTold) {
  Loss loss;
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    limits_.on_lost = Loss::tell;
    limits_.context = &loss;
    atmost_lock* lock = nullptr;
    if (atmost_get(path("a").c_str(), &limits_, &lock) != ATMOST_ADMITTED) _exit(1);
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
  taker.expire_after = 0;
  taker.kill_grace = 5;
  const atmost::Held taken = atmost::Named(path("a")).get_lock(taker);
  EXPECT_TRUE(taken) << taken.reason();
  ASSERT_EQ(read(told[0], &mark, 1), 1);
  EXPECT_EQ(mark, 'l');
  EXPECT_EQ(kill(holder, 0), 0);  // told, not killed
  kill(holder, SIGKILL);
  ASSERT_EQ(waitpid(holder, nullptr, 0), holder);
  close(told[0]);
  close(told[1]);
}

TEST_F(Library, AProgramThatAgreedToNothingKeepsItsLockAndItsLife) {
  const pid_t holder = fork();
  if (holder == 0) {
    atmost_lock* lock = nullptr;
    if (atmost_get(path("a").c_str(), &limits_, &lock) != ATMOST_ADMITTED) _exit(1);
    for (;;) pause();
  }
  ASSERT_TRUE(eventually([&] { return held(path("a")); }));
  atmost::Limits taker = limits_;
  taker.expire_after = 0;
  const atmost::Held taken = atmost::Named(path("a")).get_lock(taker);
  EXPECT_FALSE(taken);
  EXPECT_EQ(taken.answer(), ATMOST_BUSY);
  EXPECT_EQ(kill(holder, 0), 0);
  EXPECT_TRUE(held(path("a")));
  kill(holder, SIGKILL);
  ASSERT_EQ(waitpid(holder, nullptr, 0), holder);
}

TEST_F(Library, AProgramThatOptedInIsStopped) {
  const pid_t holder = fork();
  if (holder == 0) {
    limits_.may_be_killed = 1;
    atmost_lock* lock = nullptr;
    if (atmost_get(path("a").c_str(), &limits_, &lock) != ATMOST_ADMITTED) _exit(1);
    for (;;) pause();
  }
  ASSERT_TRUE(eventually([&] { return held(path("a")); }));
  std::thread reaper([&] { waitpid(holder, nullptr, 0); });
  atmost::Limits taker = limits_;
  taker.expire_after = 0;
  const atmost::Held taken = atmost::Named(path("a")).get_lock(taker);
  EXPECT_TRUE(taken) << taken.reason();
  reaper.join();
}

TEST_F(Library, RefusesArgumentsThatMakeNoSense) {
  atmost_lock* lock = nullptr;
  limits_.max = 0;
  EXPECT_EQ(atmost_get(path("a").c_str(), &limits_, &lock), ATMOST_USAGE);
  limits_.max = 1;
  limits_.take = 2;
  EXPECT_EQ(atmost_get(path("a").c_str(), &limits_, &lock), ATMOST_USAGE);
  limits_.take = 1;
  limits_.if_elapsed = std::nan("");
  EXPECT_EQ(atmost_get(path("a").c_str(), &limits_, &lock), ATMOST_USAGE);
  limits_.if_elapsed = 0;
  EXPECT_EQ(atmost_get("", &limits_, &lock), ATMOST_USAGE);
  EXPECT_EQ(atmost_get(nullptr, &limits_, &lock), ATMOST_USAGE);
  EXPECT_EQ(atmost_get(directory_.c_str(), &limits_, &lock), ATMOST_IO);
  EXPECT_STRNE(atmost_message(), "");
  EXPECT_EQ(lock, nullptr);
  EXPECT_FALSE(std::filesystem::exists(path("a")));
}

}  // namespace
