#include "clock.h"

#include "calls.h"
#include "platform.h"

namespace atmost::os {
namespace {

std::int64_t read_clock(clockid_t clock) {
  struct timespec at = {};
  calls.clock_gettime(clock, &at);
  return static_cast<std::int64_t>(at.tv_sec) * 1'000'000'000 + at.tv_nsec;
}

}  // namespace

std::int64_t boot_ns() { return read_clock(platform::kBootClock); }

bool sleep_until(std::int64_t until) {
  constexpr std::int64_t kLongestMs = 86'400'000;
  for (std::int64_t left = until - boot_ns(); left > 0; left = until - boot_ns()) {
    const std::int64_t ms = (left + 999'999) / 1'000'000;
    if (calls.poll(nullptr, 0, static_cast<int>(ms < kLongestMs ? ms : kLongestMs)) < 0)
      return false;
  }
  return true;
}

void read_clocks_in_process() { calls.clock_gettime = calls.clock_in_process; }

Instant now() { return {read_clock(CLOCK_REALTIME), boot_ns(), false}; }

}  // namespace atmost::os
