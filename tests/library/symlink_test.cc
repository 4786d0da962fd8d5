// Locks of the library that are symbolic links.
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "library_kit.h"

namespace {

class Links : public Library {
 protected:
  void SetUp() override {
    Library::SetUp();
    limits_.store = "symlink:";
  }
  void TearDown() override {
    unsetenv("ATMOST_STORE");
    Library::TearDown();
  }
  bool is_link(const char* name) const { return std::filesystem::is_symlink(path(name)); }
  atmost::Held get(const char* name) { return atmost::Named(path(name)).get_lock(limits_); }
  void expect_refused(const std::string& words) {
    const atmost::Held lock = get("a");
    EXPECT_EQ(lock.answer(), ATMOST_USAGE);
    EXPECT_NE(lock.reason().find(words), std::string::npos) << lock.reason();
    EXPECT_FALSE(is_link("a"));
  }
};

// Whether `atmost run` is admitted to the link, too.
bool admits(const std::string& path) {
  const std::string line = std::string(getenv("ATMOST_BIN")) +
                           "/atmost run -q --store symlink: " + path + " true 2>/dev/null";
  return system(line.c_str()) == 0;
}

TEST_F(Links, AreHeldAndReleased) {
  atmost::Held held = get("a");
  ASSERT_TRUE(held) << held.reason();
  EXPECT_TRUE(is_link("a"));
  EXPECT_EQ(held.slot(), 1u);
  EXPECT_FALSE(admits(path("a")));
  const atmost::Held other = get("a");
  EXPECT_EQ(other.answer(), ATMOST_BUSY);
  EXPECT_STREQ(atmost_why(), "no_slot");
  const std::uint64_t token = held.token();
  held.release(true);
  EXPECT_FALSE(std::filesystem::is_symlink(path("a")));
  EXPECT_TRUE(admits(path("a")));
  const atmost::Held again = get("a");
  ASSERT_TRUE(again) << again.reason();
  EXPECT_GT(again.token(), token);
}

TEST_F(Links, AreChosenByTheEnvironment) {
  limits_.store = nullptr;
  setenv("ATMOST_STORE", "symlink:", 1);
  EXPECT_TRUE(get("a"));
  limits_.store = "file:";
  EXPECT_TRUE(get("b"));
  EXPECT_TRUE(std::filesystem::is_regular_file(path("b")));
  limits_.store = nullptr;
  setenv("ATMOST_STORE", "", 1);
  EXPECT_TRUE(get("c"));
  EXPECT_TRUE(std::filesystem::is_regular_file(path("c")));
}

// Never a lock of another kind than was asked for.
TEST_F(Links, ATextThatNamesNoStoreIsRefused) {
  limits_.store = "symlink:/x";
  expect_refused("store: is no store: use file:, symlink:, etcd:");
  limits_.store = "";
  expect_refused("store: is no store");
  limits_.store = "etcd://user:secret@host/p";
  expect_refused("store: holds a password");
  limits_.store = nullptr;
  setenv("ATMOST_STORE", "nonsense", 1);
  expect_refused("$ATMOST_STORE: is no store");
}

TEST_F(Links, WhatTheyCannotDoIsRefused) {
  static const char* const also[] = {"b", nullptr};
  const struct {
    void (*set)(atmost::Limits& limits);
    const char* words;
  } cases[] = {
      {[](auto& it) { it.max = 2; }, "a symlink lock admits one at a time"},
      {[](auto& it) { it.sharing = ATMOST_SHARED; }, "a symlink lock is always exclusive"},
      {[](auto& it) { it.if_elapsed = 60; }, "a symlink lock remembers no admission"},
      {[](auto& it) { it.expire_after = 0; }, "a symlink lock expires by its holder's own"},
      {[](auto& it) { it.on_busy = ATMOST_REPLACE; },
       "a symlink lock can be waited for, skipped or refused"},
      {[](auto& it) { it.also = also; }, "symlink locks are taken one at a time"},
      {[](auto& it) { it.rate = "1/1h"; }, "rate: this store does not record"},
      {[](auto& it) { it.queue_max = 1; }, "queue_max: this store does not count"},
      {[](auto& it) { it.expire_after = ATMOST_AUTO; }, "auto: a symbolic link remembers no runs"},
      {[](auto& it) { it.on_lost = [](void*, std::uint64_t) {}; },
       "on_lost: a lock that is a symbolic link is not watched"},
  };
  const atmost::Limits good = limits_;
  for (const auto& each : cases) {
    SCOPED_TRACE(each.words);
    limits_ = good;
    each.set(limits_);
    expect_refused(each.words);
  }
}

TEST_F(Links, ThreadsExcludeOneAnother) {
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  limits_.wait = 120;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 25; ++round) {
        const atmost::Held held = get("a");
        ASSERT_TRUE(held) << held.reason();
        const int now = ++inside;
        if (now > most) most = now;
        std::this_thread::yield();
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
}

TEST_F(Links, EndWithTheirProcessAndNotWithAForkedChild) {
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    atmost_lock* lock = nullptr;
    if (atmost_get(path("a").c_str(), &limits_, &lock) != ATMOST_ADMITTED) _exit(1);
    const pid_t child = fork();
    if (child == 0) {
      atmost_release(lock, 1);  // its copy
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    (void)!write(told[1], atmost_held(lock) != 0 ? "h" : "?", 1);
    for (;;) pause();
  }
  char mark = 0;
  ASSERT_EQ(read(told[0], &mark, 1), 1);
  EXPECT_EQ(mark, 'h');
  EXPECT_EQ(get("a").answer(), ATMOST_BUSY);
  limits_.wait = 120;
  std::atomic<int> answer{-1};
  std::thread waiter([&] { answer = get("a").answer(); });
  kill(holder, SIGKILL);
  waiter.join();
  EXPECT_EQ(answer, ATMOST_ADMITTED);
  ASSERT_EQ(waitpid(holder, nullptr, 0), holder);
  close(told[0]);
  close(told[1]);
}

TEST_F(Links, ALinkThatIsReplacedIsNoLongerHeld) {
  const atmost::Held held = get("a");
  ASSERT_TRUE(held) << held.reason();
  std::filesystem::remove(path("a"));
  EXPECT_FALSE(held);
}

TEST_F(Links, AWaitIsCancelled) {
  const atmost::Held held = get("a");
  ASSERT_TRUE(held) << held.reason();
  limits_.wait = 120;
  atmost_request* request = nullptr;
  ASSERT_EQ(atmost_begin(path("a").c_str(), &limits_, &request), ATMOST_ADMITTED);
  EXPECT_EQ(atmost_answered(request), 0);
  atmost_cancel(request);
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_finish(request, &lock), ATMOST_INTERRUPTED);
  EXPECT_EQ(lock, nullptr);
}

TEST_F(Links, MaxHoldEndsAHold) {
  std::atomic<std::uint64_t> lost{0};
  limits_.on_lost = [](void* context, std::uint64_t token) {
    *static_cast<std::atomic<std::uint64_t>*>(context) = token;
  };
  limits_.context = &lost;
  limits_.max_hold = 0.05;
  const atmost::Held held = get("a");
  const std::uint64_t token = held.token();
  ASSERT_GT(token, 0u);
  EXPECT_TRUE(eventually([&] { return lost == token; }));
  EXPECT_FALSE(held);
  EXPECT_TRUE(admits(path("a")));
  limits_.max_hold = INFINITY;
  limits_.on_lost = nullptr;
  EXPECT_TRUE(get("a"));
}

TEST_F(Links, AreLookedAt) {
  unsigned holders = 9;
  EXPECT_EQ(atmost_check(path("a").c_str(), &limits_, &holders), ATMOST_ADMITTED);
  EXPECT_EQ(holders, 0u);
  limits_.id = "note";
  const atmost::Held held = get("a");
  EXPECT_EQ(atmost_check(path("a").c_str(), &limits_, &holders), ATMOST_BUSY);
  EXPECT_EQ(holders, 1u);
  std::int64_t pid = 0;
  const auto each = [](void* context, const atmost_entry* entry) {
    if (std::strcmp(entry->id, "note") == 0) *static_cast<std::int64_t*>(context) = entry->pid;
    return 0;
  };
  EXPECT_EQ(atmost_list(path("a").c_str(), &limits_, each, &pid), ATMOST_ADMITTED);
  EXPECT_EQ(pid, getpid());
}

}  // namespace
