// The C library from outside: threads, forks, stray closes, takers. The witness is a lock query by
// a stranger.
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "library_kit.h"

namespace {

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
    files += entry.path().extension() == ".lock";
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

TEST_F(Library, AnotherThreadMayRelease) {
  const auto get = [this](const char* name) {
    atmost_lock* lock = nullptr;
    EXPECT_EQ(atmost_get(path(name).c_str(), &limits_, &lock), ATMOST_ADMITTED);
    return lock;
  };
  atmost_lock* outer = get("outer");
  atmost_lock* inner = get("inner");
  std::thread([inner] { atmost_release(inner, 1); }).join();
  inner = get("inner");  // the same value, which is this thread's once more
  atmost_lock* theirs = nullptr;
  std::thread([&] { theirs = get("theirs"); }).join();
  atmost_release(theirs, 1);
  std::thread([inner] { atmost_release(inner, 1); }).join();
  EXPECT_TRUE(held(path("outer")));
  atmost_release_current_lock();
  EXPECT_FALSE(held(path("outer")));
  std::thread([&] { outer = get("outer"); }).join();
  atmost_release_current_lock();
  EXPECT_TRUE(held(path("outer")));
  atmost_release(outer, 1);
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

// Whatever other threads of the program are in the midst of. The names are made before the forks:
// the allocator of clang's address sanitizer does not survive a fork beside a thread that frees.
TEST_F(Library, AForkedChildOfAThreadedProgramIsNotStuck) {
  const std::string a = path("a");
  const std::string own = path("child");
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      atmost::Limits wrong = limits_;
      wrong.max = 0;  // refused at once: all of the time goes into the library itself
      atmost_lock* lock = nullptr;
      while (!stop) (void)atmost_get(a.c_str(), &wrong, &lock);
    });
  }
  int stuck = 0;
  for (int round = 0; round < 400 && stuck == 0; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      atmost_lock* lock = nullptr;
      const int answer = atmost_get(own.c_str(), &limits_, &lock);
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
  limits_.size = offsetof(atmost_options, context);
  EXPECT_EQ(atmost_get(path("a").c_str(), &limits_, &lock), ATMOST_USAGE);
  limits_.size = sizeof limits_;
  EXPECT_EQ(atmost_get("", &limits_, &lock), ATMOST_USAGE);
  EXPECT_EQ(atmost_get(nullptr, &limits_, &lock), ATMOST_USAGE);
  EXPECT_EQ(atmost_get(directory_.c_str(), &limits_, &lock), ATMOST_IO);
  EXPECT_STRNE(atmost_message(), "");
  EXPECT_EQ(lock, nullptr);
  EXPECT_FALSE(std::filesystem::exists(path("a")));
}

// What was compiled with the first atmost.h has no fields behind `context`.
TEST_F(Library, TakesTheOptionsOfTheFirstVersion) {
  struct {
    unsigned char options[offsetof(atmost_options, log)];
    unsigned char behind[sizeof(atmost_options)];
  } old;
  limits_.size = sizeof old.options;
  std::memcpy(old.options, &limits_, sizeof old.options);
  std::memset(old.behind, 0xA5, sizeof old.behind);
  atmost_lock* lock = nullptr;
  atmost_options options;
  static_assert(sizeof old >= sizeof options);
  std::memcpy(&options, &old, sizeof options);
  ASSERT_EQ(atmost_get(path("a").c_str(), &options, &lock), ATMOST_ADMITTED) << atmost_message();
  atmost_release(lock, 1);
}

TEST_F(Library, NamesNoTimeThatIsTooEarly) {
  const atmost::Named once(path("once"));
  limits_.if_elapsed = 60;
  limits_.now = 1'000'000'000;
  ASSERT_TRUE(once.get_lock(limits_));
  limits_.now += 57.1;
  const atmost::Held soon = once.get_lock(limits_);
  EXPECT_NE(soon.reason().find(": too soon: come back in 3s"), std::string::npos) << soon.reason();
  EXPECT_STREQ(atmost_why(), "too_soon");
  limits_.if_elapsed = INFINITY;
  const atmost::Held never = once.get_lock(limits_);
  EXPECT_TRUE(std::isinf(never.retry_in()));
  EXPECT_NE(never.reason().find("too soon: it was admitted before"), std::string::npos)
      << never.reason();
  EXPECT_EQ(never.reason().find("come back"), std::string::npos) << never.reason();
}

}  // namespace
