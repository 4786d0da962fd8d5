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
  limits_.set("if_elapsed", 900);
  limits_.set("now", 1'000'000'000);
  const std::uint64_t token = atom.get_lock(limits_).token();
  EXPECT_GT(token, 0u);
  limits_.set("now", 1'000'000'600.5);
  const atmost::Held soon = atom.get_lock(limits_);
  EXPECT_EQ(soon.answer(), ATMOST_TOO_SOON);
  EXPECT_NEAR(soon.retry_in(), 299.5, 0.001);
  limits_.set("now", 1'000'000'900.5);
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
  ASSERT_EQ(get_by(path("outer").c_str(), limits_, &outer), ATMOST_ADMITTED);
  ASSERT_EQ(get_by(path("inner").c_str(), limits_, &inner), ATMOST_ADMITTED);
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
    EXPECT_EQ(get_by(path(name).c_str(), limits_, &lock), ATMOST_ADMITTED);
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

TEST_F(Library, AThreadDoesNotWaitForItself) {
  limits_.set("wait", INFINITY);
  atmost_lock* first = nullptr;
  ASSERT_EQ(get_by(path("a").c_str(), limits_, &first), ATMOST_ADMITTED);
  atmost_lock* again = nullptr;
  for (const std::string& name : {path("a"), path("./a")}) {
    EXPECT_EQ(get_by(name.c_str(), limits_, &again), ATMOST_BUSY);
    EXPECT_STREQ(atmost_why(), "ancestor");
  }
  atmost::Limits writer = limits_;
  writer.set("exclusive");
  EXPECT_EQ(get_by(path("a"), writer, &again), ATMOST_BUSY);
  limits_.set("max", 2);
  ASSERT_EQ(get_by(path("a").c_str(), limits_, &again), ATMOST_ADMITTED);
  atmost_release(again, 1);
  limits_.set("max", 1);
  std::thread other([&] {
    atmost_lock* theirs = nullptr;
    EXPECT_EQ(get_by(path("a").c_str(), limits_, &theirs), ATMOST_ADMITTED);
    atmost_release(theirs, 1);
  });
  atmost_release(first, 1);
  other.join();
  ASSERT_EQ(get_by(path("a").c_str(), limits_, &first), ATMOST_ADMITTED);
  atmost_release(first, 1);
}

TEST_F(Library, ExcludesThreadsLikeProcesses) {
  limits_.set("max", 3);
  limits_.set("wait", INFINITY);
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
  ASSERT_EQ(get_by(path("a").c_str(), limits_, &lock), ATMOST_ADMITTED);
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

// A fork at any moment of the other threads. The names are made before the forks: the allocator of
// clang's address sanitizer does not survive a fork beside a thread that frees.
TEST_F(Library, AForkedChildOfAThreadedProgramIsNotStuck) {
  const std::string a = path("a");
  const std::string own = path("child");
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      atmost::Limits wrong = limits_;
      wrong.set("max", 0);  // refused at once: all of the time goes into the library itself
      atmost_lock* lock = nullptr;
      while (!stop) (void)get_by(a.c_str(), wrong, &lock);
    });
  }
  int stuck = 0;
  for (int round = 0; round < 400 && stuck == 0; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      atmost_lock* lock = nullptr;
      const int answer = get_by(own.c_str(), limits_, &lock);
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
  limits_.on_lost([](void*, std::uint64_t) {}, nullptr);
  atmost_lock* lock = nullptr;
  ASSERT_EQ(get_by(path("a").c_str(), limits_, &lock), ATMOST_ADMITTED);
  for (int round = 0; round < 50; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      const bool told = atmost_held(lock) != 0;
      atmost_release(lock, 1);
      atmost_lock* own = nullptr;
      const int answer = get_by(path("child").c_str(), limits_, &own);
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
    if (get_by(path("a").c_str(), limits_, &lock) != ATMOST_ADMITTED) _exit(1);
    for (;;) pause();
  }
  ASSERT_TRUE(eventually([&] { return held(path("a")); }));
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(held(path("a")));
}

TEST_F(Library, RefusesArgumentsThatMakeNoSense) {
  atmost_lock* lock = nullptr;
  const auto with = [this](const char* option, auto value) {
    return atmost::Limits(limits_).set(option, value);
  };
  for (const atmost::Limits& wrong :
       {with("max", 0), with("take", 2), with("if_elapsed", std::nan("")), with("wait", -1),
        with("if_elapsed", -1.0), with("max", 1.5), with("maximum", 1), with("shared", "yes"),
        with("mode", 01600), with("mode", "9"), with("id", std::string(64, 'x')),
        atmost::Limits(limits_).set("wait")})
    EXPECT_EQ(get_by(path("a"), wrong, &lock), ATMOST_USAGE) << atmost_message();
  EXPECT_EQ(get_by("", limits_, &lock), ATMOST_USAGE);
  EXPECT_EQ(get_by(directory_, limits_, &lock), ATMOST_IO);
  EXPECT_STRNE(atmost_message(), "");
  EXPECT_EQ(lock, nullptr);
  EXPECT_FALSE(std::filesystem::exists(path("a")));
}

TEST_F(Library, ARequestIsAskedAgainAndIsCompleteWithItsFirstUse) {
  atmost_request* const request = atmost_new(path("a").c_str());
  EXPECT_EQ(atmost_set_number(request, "max", 2), ATMOST_ADMITTED);
  EXPECT_EQ(atmost_set_number(request, "mode", 0640), ATMOST_ADMITTED);
  atmost_lock* locks[2] = {};
  for (atmost_lock*& lock : locks) EXPECT_EQ(atmost_get(request, &lock), ATMOST_ADMITTED);
  atmost_lock* third = nullptr;
  EXPECT_EQ(atmost_get(request, &third), ATMOST_BUSY);
  EXPECT_EQ(atmost_set_number(request, "max", 3), ATMOST_USAGE);
  EXPECT_STREQ(atmost_message(), "max: the request has been used: make a new one");
  EXPECT_EQ(atmost_get(request, &third), ATMOST_BUSY);
  atmost_free(request);
  for (atmost_lock* lock : locks) atmost_release(lock, 1);
  struct stat status;
  ASSERT_EQ(stat(path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

// An error that a program overlooks is the answer of each use.
TEST_F(Library, AWrongOptionIsNeverForgotten) {
  atmost_request* const request = atmost_new(path("a").c_str());
  EXPECT_EQ(atmost_set(request, "rate", "often"), ATMOST_USAGE);
  EXPECT_EQ(atmost_set(request, "rate", "5/1m"), ATMOST_ADMITTED);
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_get(request, &lock), ATMOST_USAGE);
  EXPECT_EQ(std::string(atmost_message()).find("rate: "), 0u) << atmost_message();
  EXPECT_EQ(atmost_check(request, nullptr), ATMOST_USAGE);
  atmost_free(request);
  EXPECT_EQ(atmost_set(nullptr, "max", "1"), ATMOST_INTERNAL);
  EXPECT_EQ(atmost_get(nullptr, &lock), ATMOST_INTERNAL);
}

TEST_F(Library, NamesNoTimeThatIsTooEarly) {
  const atmost::Named once(path("once"));
  limits_.set("if_elapsed", 60);
  limits_.set("now", 1'000'000'000);
  ASSERT_TRUE(once.get_lock(limits_));
  limits_.set("now", 1'000'000'057.1);
  const atmost::Held soon = once.get_lock(limits_);
  EXPECT_NE(soon.reason().find(": too soon: come back in 3s"), std::string::npos) << soon.reason();
  EXPECT_STREQ(atmost_why(), "too_soon");
  limits_.set("if_elapsed", INFINITY);
  const atmost::Held never = once.get_lock(limits_);
  EXPECT_TRUE(std::isinf(never.retry_in()));
  EXPECT_NE(never.reason().find("too soon: it was admitted before"), std::string::npos)
      << never.reason();
  EXPECT_EQ(never.reason().find("come back"), std::string::npos) << never.reason();
}

}  // namespace
