// Examples of silence: real commands, idle or at work in many ways, below supervisors that stop
// them after a second of it. All run at the same time. The time until they are stopped is checked
// only on an idle machine (`make soak` sets ATMOST_TESTS_TIMED), after ten seconds of silence.
#include <signal.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "run_kit.h"

namespace witness {
namespace {

constexpr std::int64_t kLimitMs = 1'000;
constexpr std::int64_t kTimedLimitMs = 10'000;
constexpr std::int64_t kGraceMs = 100;
constexpr std::int64_t kStartMs = 200;  // at most, until the command runs and has become silent

class RunIdle : public Run {
 protected:
  void start_each(const std::vector<std::string>& ways, const std::string& ms) {
    for (const std::string& how : ways) start(how, {helper("idle_child"), how, ms});
  }
  void start(const std::string& how, const Argv& command, const Argv& before = {}) {
    Argv argv = host({"--idle=" + std::to_string(limit_ms_), "--grace=" + std::to_string(kGraceMs)},
                     command);
    argv.insert(argv.begin(), before.begin(), before.end());
    started_ns_[how] = now_ns();
    pids_[how] = world_.start(argv);
  }
  // Its end, and the moment of it in milliseconds after its start.
  std::map<std::string, std::pair<std::string, std::int64_t>> endings(Bound bound) {
    std::map<std::string, std::pair<std::string, std::int64_t>> all;
    EXPECT_TRUE(eventually(bound, [&] {
      for (const auto& [how, pid] : pids_) {
        if (all.contains(how) || !world_.ended(pid)) continue;
        all[how] = {status_of(pid), (now_ns() - started_ns_[how]) / 1'000'000};
      }
      return all.size() == pids_.size();
    }));
    return all;
  }

  const bool timed_ = getenv("ATMOST_TESTS_TIMED") != nullptr;
  const std::int64_t limit_ms_ = timed_ ? kTimedLimitMs : kLimitMs;
  std::map<std::string, pid_t> pids_;
  std::map<std::string, std::int64_t> started_ns_;
};

TEST_F(RunIdle, SilentCommandsAreStopped) {
  start_each({"sleep", "socket", "deadlock", "stop", "lock", "event_loop", "terminal", "futex"},
             "60000");
  start("child", shell("sleep 60; :"));
  start("pipeline", shell("sleep 60 | cat | cat; :"));
  const std::int64_t latest_ms = limit_ms_ + limit_ms_ / 10 + 3 * kGraceMs + kStartMs;
  std::int64_t longest_ms = 0;
  for (const auto& [how, ending] : endings(Bound(50'000))) {
    EXPECT_EQ(ending.first, "exit 125") << how;
    EXPECT_GE(ending.second, limit_ms_) << how;
    if (timed_) {
      EXPECT_LE(ending.second, latest_ms) << how;
    }
    if (ending.second > longest_ms) longest_ms = ending.second;
  }
  std::printf("a silence of %jd ms: all stopped after %jd ms at most\n",
              static_cast<std::intmax_t>(limit_ms_), static_cast<std::intmax_t>(longest_ms));
}

TEST_F(RunIdle, WorkingCommandsAreNotStopped) {
  const std::vector<std::string> ways = {"spin",   "one_of_20", "copy",
                                         "dots",   "children",  "uninterruptible",
                                         "mapped", "uring",     "session"};
  start_each(ways, std::to_string(3 * limit_ms_ + 200));
  start("ends", shell("exit 7"));
  for (const auto& [how, ending] : endings(Bound(50'000))) {
    if (how == "uring" && ending.first == "exit 77") continue;  // forbidden here
    EXPECT_EQ(ending.first, how == "ends" ? "exit 7" : "exit 0") << how;
  }
}

// A process that its own user may not look into.
TEST_F(RunIdle, WhatCannotBeReadIsNotIdle) {
  if (getuid() != 0) GTEST_SKIP() << "needs root, to become a user who may not see everything";
  start("unreadable", {helper("idle_child"), "unreadable", std::to_string(3 * limit_ms_ + 200)},
        child({"close", "become=65534", "exec"}));
  EXPECT_EQ(endings(Bound(50'000))["unreadable"].first, "exit 0");
}

// The tree is watched until its hold ends, not only the main process.
TEST_F(RunIdle, WhatTheMainProcessLeftIsWatched) {
  pids_["rest"] =
      world_.start(host({"--idle=500", "--grace=100", "--tree"}, shell("sleep 30 & exit 0")));
  EXPECT_EQ(endings(Bound(50'000))["rest"].first, "exit 125");
}

}  // namespace
}  // namespace witness
