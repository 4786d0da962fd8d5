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
    by_environment_ = limits_;
    limits_.set("store", "symlink:");
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

  atmost::Limits by_environment_;
};

// True if `atmost run` is admitted to the link, too.
bool admits(const std::string& path) {
  const std::string line = std::string(getenv("ATMOST_BIN")) +
                           "/atmost run -q --store symlink: " + path + " true 2>/dev/null";
  return system(line.c_str()) == 0;
}

// The slot of an admission of `atmost run`; 0 if there was none.
std::uint64_t token_of_another(const std::string& path) {
  const std::string line = std::string(getenv("ATMOST_BIN")) +
                           "/atmost run -q --store symlink: " + path + " printenv ATMOST_TOKEN";
  FILE* const output = popen(line.c_str(), "r");
  unsigned long long token = 0;
  if (output == nullptr || fscanf(output, "%llu", &token) != 1) token = 0;
  return output != nullptr && pclose(output) == 0 ? token : 0;
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

// Also beside processes whose tokens this one has not seen, as a link goes with its hold.
TEST_F(Links, TokensIncreaseAmongProcesses) {
  atmost::Held held = get("a");
  ASSERT_TRUE(held) << held.reason();
  held.release(true);
  const std::uint64_t others = token_of_another(path("a"));
  EXPECT_GT(others, 0u);
  held = get("a");
  ASSERT_TRUE(held) << held.reason();
  EXPECT_GT(held.token(), others);
}

TEST_F(Links, AreChosenByTheEnvironment) {
  limits_ = by_environment_;
  setenv("ATMOST_STORE", "symlink:", 1);
  EXPECT_TRUE(get("a"));
  limits_.set("store", "file:");
  EXPECT_TRUE(get("b"));
  EXPECT_TRUE(std::filesystem::is_regular_file(path("b")));
  limits_ = by_environment_;
  setenv("ATMOST_STORE", "", 1);
  EXPECT_TRUE(get("c"));
  EXPECT_TRUE(std::filesystem::is_regular_file(path("c")));
}

// It never takes a lock of another kind than the requested one.
TEST_F(Links, ATextThatNamesNoStoreIsRefused) {
  for (const auto& [store, words] :
       {std::pair("symlink:/x", "store: is not a store: use file:, symlink:, etcd:"),
        std::pair("", "store: is not a store"),
        std::pair("etcd://user:secret@host/p", "store: holds a password")}) {
    limits_ = by_environment_;
    limits_.set("store", store);
    expect_refused(words);
  }
  limits_ = by_environment_;
  setenv("ATMOST_STORE", "nonsense", 1);
  expect_refused("$ATMOST_STORE: is not a store");
}

TEST_F(Links, WhatTheyCannotDoIsRefused) {
  const struct {
    void (*set)(atmost::Limits& limits);
    const char* words;
  } cases[] = {
      {[](auto& it) { it.set("max", 2); }, "a symlink lock admits one at a time"},
      {[](auto& it) { it.set("shared"); }, "a symlink lock is always exclusive"},
      {[](auto& it) { it.set("if_elapsed", 60); }, "a symlink lock remembers no admission"},
      {[](auto& it) { it.set("expire_after", 0); }, "a symlink lock expires by its holder's own"},
      {[](auto& it) { it.set("on_busy", "replace"); },
       "a symlink lock can be waited for, skipped or refused"},
      {[](auto& it) { it.set("also", "b"); }, "symlink locks are taken one at a time"},
      {[](auto& it) { it.set("rate", "1/1h"); }, "rate: this store does not record"},
      {[](auto& it) { it.set("queue_max", 1); }, "queue_max: this store does not count"},
      {[](auto& it) { it.set("expire_after", atmost::kAuto); },
       "auto: a symbolic link remembers no runs"},
      {[](auto& it) { it.on_lost([](void*, std::uint64_t) {}, nullptr); },
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
  limits_.set("wait", 120);
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
    if (get_by(path("a").c_str(), limits_, &lock) != ATMOST_ADMITTED) _exit(1);
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
  limits_.set("wait", 120);
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
  limits_.set("wait", 120);
  atmost_pending* request = nullptr;
  ASSERT_EQ(begin_by(path("a").c_str(), limits_, &request), ATMOST_ADMITTED);
  EXPECT_EQ(atmost_answered(request), 0);
  atmost_cancel(request);
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_finish(request, &lock), ATMOST_INTERRUPTED);
  EXPECT_EQ(lock, nullptr);
}

TEST_F(Links, MaxRuntimeEndsAHold) {
  std::atomic<std::uint64_t> lost{0};
  limits_.on_lost(
      [](void* context, std::uint64_t token) {
        *static_cast<std::atomic<std::uint64_t>*>(context) = token;
      },
      &lost);
  limits_.set("max_runtime", 0.05);
  const atmost::Held held = get("a");
  const std::uint64_t token = held.token();
  ASSERT_GT(token, 0u);
  EXPECT_TRUE(eventually([&] { return lost == token; }));
  EXPECT_FALSE(held);
  EXPECT_TRUE(admits(path("a")));
  limits_.set("max_runtime", INFINITY);
  limits_.on_lost(nullptr, nullptr);
  EXPECT_TRUE(get("a"));
}

TEST_F(Links, AreLookedAt) {
  unsigned holders = 9;
  EXPECT_EQ(check_by(path("a").c_str(), limits_, &holders), ATMOST_ADMITTED);
  EXPECT_EQ(holders, 0u);
  limits_.set("id", "note");
  const atmost::Held held = get("a");
  EXPECT_EQ(check_by(path("a").c_str(), limits_, &holders), ATMOST_BUSY);
  EXPECT_EQ(holders, 1u);
  std::int64_t pid = 0;
  const auto each = [](void* context, const atmost_entry* entry) {
    if (std::strcmp(entry->id, "note") == 0) *static_cast<std::int64_t*>(context) = entry->pid;
    return 0;
  };
  EXPECT_EQ(list_by(path("a").c_str(), limits_, each, &pid), ATMOST_ADMITTED);
  EXPECT_EQ(pid, getpid());
}

}  // namespace
