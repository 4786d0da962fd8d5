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

// `rounds` handovers on each of `lanes` locks, at each of which the first waiter is paused; nobody
// behind it may fail.
inline void expect_nobody_fails(const std::string& how, unsigned lanes, unsigned rounds,
                                Bound bound) {
  if (how == "freeze" && !Freezer().works()) GTEST_SKIP() << "no freezer can be had here";
  TempDir directory;
  World world;
  std::vector<pid_t> pids;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const std::string own = directory.file("lane" + std::to_string(lane));
    ASSERT_EQ(mkdir(own.c_str(), 0700), 0);
    Streams streams;
    streams.out = open((own + ".out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    streams.err = open((own + ".err").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    pids.push_back(world.start(
        {helper("paused_lane"), own, std::to_string(rounds), std::to_string(lane + 1), how},
        streams));
    close(streams.out);
    close(streams.err);
  }
  unsigned sums[5] = {};
  std::int64_t longest_ms = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const std::optional<int> status = world.wait(pids[lane], bound);
    const std::string own = directory.file("lane" + std::to_string(lane));
    const std::string complaints = read_file(own + ".err");
    EXPECT_TRUE(status && words(*status) == "exit 0") << complaints;
    EXPECT_EQ(complaints, "");
    std::istringstream line(read_file(own + ".out"));
    for (unsigned& sum : sums) {
      unsigned value = 0;
      line >> value;
      sum += value;
    }
    std::int64_t ms = 0;
    line >> ms;
    longest_ms = std::max(longest_ms, ms);
  }
  std::cout << sums[0] << " handovers: " << sums[1] << " waiters paused, " << sums[2]
            << " had slot or guard already, " << sums[3] << " had ended; " << sums[4]
            << " failures; the longest wait behind a paused one " << longest_ms << " ms\n";
  EXPECT_EQ(sums[0], lanes * rounds);
  EXPECT_EQ(sums[4], 0u);
  EXPECT_GT(sums[1], sums[0] / 10) << "hardly any was paused while it waited";
}

}  // namespace witness

#endif
