// Many lanes side by side (paused_lane.cc), each with a lock of its own.
#ifndef ATMOST_TESTS_PROCESS_PAUSED_LANES_H
#define ATMOST_TESTS_PROCESS_PAUSED_LANES_H

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "freezer.h"
#include "witness_world.h"

namespace witness {

struct PausedSums {
  unsigned handovers = 0, paused = 0, too_late = 0, ended = 0, failures = 0;
  std::int64_t longest_ms = 0;
};

// `rounds` handovers on each of `lanes` locks, at each of which the first waiter is paused.
inline void run_paused_lanes(const std::string& how, unsigned lanes, unsigned rounds, int aim_us,
                             Bound bound, PausedSums& sums) {
  TempDir directory;
  World world;
  std::vector<pid_t> pids;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const std::string own = directory.file("lane" + std::to_string(lane));
    ASSERT_EQ(mkdir(own.c_str(), 0700), 0);
    Streams streams;
    streams.out = open((own + ".out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    streams.err = open((own + ".err").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    pids.push_back(world.start({helper("paused_lane"), own, std::to_string(rounds),
                                std::to_string(lane + 1), how, std::to_string(aim_us)},
                               streams));
    close(streams.out);
    close(streams.err);
  }
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const std::optional<int> status = world.wait(pids[lane], bound);
    const std::string own = directory.file("lane" + std::to_string(lane));
    const std::string complaints = read_file(own + ".err");
    EXPECT_TRUE(status && words(*status) == "exit 0") << complaints;
    EXPECT_EQ(complaints, "");
    std::istringstream line(read_file(own + ".out"));
    PausedSums own_sums;
    line >> own_sums.handovers >> own_sums.paused >> own_sums.too_late >> own_sums.ended >>
        own_sums.failures >> own_sums.longest_ms;
    sums.handovers += own_sums.handovers;
    sums.paused += own_sums.paused;
    sums.too_late += own_sums.too_late;
    sums.ended += own_sums.ended;
    sums.failures += own_sums.failures;
    sums.longest_ms = std::max(sums.longest_ms, own_sums.longest_ms);
  }
}

// Nobody behind a paused waiter may fail. On a busy machine every waiter may have its slot before
// it is paused: then the round proves nothing, and is repeated with an earlier pause, in the end
// with one before the handover.
inline void expect_nobody_fails(const std::string& how, unsigned lanes, unsigned rounds,
                                Bound bound) {
  if (how == "freeze" && !Freezer().works()) GTEST_SKIP() << "no freezer can be had here";
  constexpr unsigned kMostTimes = 10;
  constexpr int kFirstAimUs = 300;
  constexpr int kEarlierUs = 100;
  PausedSums sums;
  unsigned times = 0;
  for (; times < kMostTimes && sums.paused <= lanes * rounds / 10; ++times)
    run_paused_lanes(how, lanes, rounds, kFirstAimUs - static_cast<int>(times) * kEarlierUs, bound,
                     sums);
  std::cout << sums.handovers << " handovers: " << sums.paused << " waiters paused, "
            << sums.too_late << " had slot or guard already, " << sums.ended << " had ended; "
            << sums.failures << " failures; the longest wait behind a paused one "
            << sums.longest_ms << " ms\n";
  EXPECT_EQ(sums.handovers, times * lanes * rounds);
  EXPECT_EQ(sums.failures, 0u);
  EXPECT_GT(sums.paused, lanes * rounds / 10) << "hardly any was paused while it waited";
}

}  // namespace witness

#endif
