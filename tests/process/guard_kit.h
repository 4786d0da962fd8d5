// The fate of a lock when the process that has its guard is killed: the short run of every day, and
// the long one.
#ifndef ATMOST_TESTS_PROCESS_GUARD_KIT_H
#define ATMOST_TESTS_PROCESS_GUARD_KIT_H

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include "guard_killer.h"
#include "witness_world.h"

namespace witness {

class GuardKills : public ::testing::Test {
 protected:
  // The obstacle of the victim, and the end when it has nothing more to do.
  struct Scene {
    Argv holder;  // started before the victim, and waited for until it has a slot; empty: none
    std::function<Argv()> victim;
    bool follow_child = false;  // the victim is the child that it forks first
    bool all_calls = false;     // else those that touch locks, data or processes
    Killer::Idle idle;          // whenever the victim sleeps; may be called again and again
  };

  // Kills the victim at every stride-th call, beginning with another one with each seed.
  void kill_at_each_call(const Scene& scene, unsigned stride) {
    if (!Killer::possible()) GTEST_SKIP() << "nothing may be traced here";
    unsigned kills = 0;
    bool killed = true;
    for (unsigned nth = 1 + static_cast<unsigned>(seed() % stride); killed; nth += stride) {
      SCOPED_TRACE("killed at call " + std::to_string(nth));
      if (!scene.holder.empty()) start_holder(scene.holder);
      Killer killer(scene.victim(), scene.follow_child, scene.all_calls);
      killed = killer.kill_at(nth, scene.idle);
      kills += killed ? 1 : 0;
      expect_no_guard_left();
      expect_an_answer();
      world_.kill_all();
      expect_admitted();
      if (HasFailure()) return;
    }
    EXPECT_GE(kills, 3U) << "the victim made hardly any call: this proves nothing";
    std::cout << "killed at " << kills << " calls\n";
  }

  // Nothing but slots, the mode byte and the handover byte (2^45) may outlive who took it. A forked
  // child may need a moment to close its copy.
  void expect_no_guard_left() {
    const Probe probe(lock_);
    EXPECT_TRUE(eventually(Bound(10'000), [&] { return !probe.first_locked(0, 8); }))
        << "the guard is left";
    constexpr std::int64_t kTakeovers = std::int64_t{1} << 42;
    constexpr std::int64_t kHandover = std::int64_t{1} << 45;
    EXPECT_TRUE(eventually(Bound(10'000), [&] {
      return !probe.first_locked(kTakeovers, kHandover - kTakeovers) &&
             !probe.first_locked(kHandover + 1, 0);
    })) << "a takeover, join or ticket byte is left";
  }

  // True if it was admitted, or refused because the slot is held: never because the guard is.
  void expect_an_answer() {
    const std::string answer = ask({});
    const bool good =
        answer == "admitted" || answer.find("\"reason\":\"no_slot\"") != std::string::npos;
    EXPECT_TRUE(good) << answer;
  }
  // The process that kept the slot was ended an instant ago.
  void expect_admitted() { EXPECT_EQ(ask({"-w", "20"}), "admitted"); }

  // "admitted", or the words of the refusal. Says how long that took.
  std::string ask(const Argv& options) {
    const std::string file = directory_.file("answer");
    const int err = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    Argv argv{under_test("atmost"), "run", "--json", "--no-history"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), {lock_, "--", "/bin/true"});
    const std::int64_t start = now_ns();
    const std::string status = words(world_.run(argv, {-1, -1, err}, Bound(60'000)));
    answered_ns_ = now_ns() - start;
    close(err);
    return status == "exit 0" ? "admitted" : status + ": " + read_file(file);
  }

  pid_t start_holder(const Argv& argv) {
    holder_ = world_.start(argv);
    const Probe probe(lock_);
    EXPECT_TRUE(eventually(Bound(20'000), [&] { return probe.slots_held(4) > 0; }));
    return holder_;
  }
  Argv atmost(const Argv& words) const {
    Argv argv{under_test("atmost")};
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
  }
  // A command that leaves somebody behind who has inherited what it had.
  Argv leaving_a_daemon(Argv options) const {
    options.insert(options.begin(), "run");
    options.insert(options.end(), {"--no-history", lock_, "--", "/bin/sh", "-c",
                                   "sleep 1000 >/dev/null 2>&1 & exit 0"});
    return atmost(options);
  }
  // Frees the slot as soon as the victim has a place in the queue.
  void let_the_waiter_in() {
    if (holder_ == 0 || !Probe(lock_).first_locked(kTickets, 0)) return;
    (void)world_.signal_descendant(holder_, SIGKILL);
    holder_ = 0;
  }

  GuardKills() { setenv("XDG_STATE_HOME", directory_.file("state").c_str(), 1); }

  TempDir directory_;
  const std::string lock_ = directory_.file("lock");
  World world_;
  pid_t holder_ = 0;
  std::int64_t answered_ns_ = 0;

  // Kills supervisors around the end of their command, up to 3 ms before it and 6 ms after it.
  void kill_around_the_end(unsigned rounds) {
    std::mt19937_64 random(seed());
    std::vector<double> refused_ms;
    std::vector<double> admitted_ms;
    for (unsigned round = 0; round < rounds && !HasFailure(); ++round) {
      int ends[2];
      ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
      const pid_t supervisor = world_.start(
          atmost({"run", "--no-history", lock_, "--", "/bin/sh", "-c",
                  "sleep 1000 >/dev/null 2>&1 </dev/null & echo; sleep 0.002; exit 0"}),
          {-1, ends[1], -1});
      close(ends[1]);
      char ready = 0;
      EXPECT_EQ(read(ends[0], &ready, 1), 1);
      // Most of them come after the end, which the pipe shows, and most of those at once: there the
      // guard is taken.
      const bool before = random() % 4 == 0;
      const double part = static_cast<double>(random() % 1000) / 1000;
      if (!before) {
        EXPECT_EQ(read(ends[0], &ready, 1), 0);
      }
      const std::int64_t until =
          now_ns() + static_cast<std::int64_t>(6e6 * (before ? part : part * part * part));
      while (now_ns() < until) {
      }
      EXPECT_TRUE(world_.signal_descendant(supervisor, SIGKILL) || world_.ended(supervisor));
      (void)world_.wait(supervisor);
      close(ends[0]);
      const std::string answer = ask({});
      if (answer == "admitted") {
        admitted_ms.push_back(static_cast<double>(answered_ns_) / 1e6);
      } else {
        refused_ms.push_back(static_cast<double>(answered_ns_) / 1e6);
        EXPECT_NE(answer.find("\"reason\":\"no_slot\""), std::string::npos)
            << "round " << round << ": " << answer;
      }
      world_.kill_all();
      EXPECT_EQ(ask({"-w", "20"}), "admitted") << "round " << round;
      admitted_ms.push_back(static_cast<double>(answered_ns_) / 1e6);
    }
    std::cout << "seed " << seed() << ", " << rounds
              << " kills: " << describe("refused", refused_ms) << "; "
              << describe("admitted", admitted_ms) << '\n';
  }

  static std::uint64_t seed() {
    const char* given = std::getenv("ATMOST_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  }
  static std::string describe(const std::string& what, std::vector<double> ms) {
    if (ms.empty()) return what + " never";
    std::sort(ms.begin(), ms.end());
    const auto at = [&](double part) {
      return std::to_string(ms[static_cast<std::size_t>(part * (ms.size() - 1.0))]);
    };
    return what + " " + std::to_string(ms.size()) + " times within median " + at(0.5) + ", 99 % " +
           at(0.99) + ", worst " + at(1) + " ms";
  }
};

}  // namespace witness

#endif
